/** Which model is to read the files of a message, as far as the client can know it. */
import type { FileReader } from "../core/dialects/check-attachment.js";
import { endpointAttachments } from "../providers/endpoint-attachments.js";
import type { ClientContext } from "./client-context.js";
import type { ConversationQueries } from "./conversation-queries.js";

/**
 * Undefined where nobody answers for the conversation: the worker that will judges the files as well.
 *
 * @throws UsageError for an endpoint's types that are none.
 */
export async function fileReader(
  { starting }: Pick<ClientContext, "starting">,
  queries: ConversationQueries,
): Promise<FileReader | undefined> {
  const endpoints = endpointAttachments(process.env);
  const known = starting?.serving ?? (await queries.status().catch(() => undefined));
  return known === undefined ? undefined : { provider: known.provider, model: known.model, endpoints };
}
