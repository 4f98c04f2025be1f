/** Types that an endpoint takes beyond those of its wire, as whoever runs it knows: a vision server that reads PDF, say. */
import type { EndpointAttachments } from "../core/dialects/attachment-types.js";
import { UsageError } from "../core/errors/errors.js";

/** Read by clients, which refuse a file before it is sent, and by workers, which do before the call. */
export const ATTACHMENTS_VARIABLES: { readonly fireworks: string; readonly compatible: string } = {
  fireworks: "HOLDFAST_FIREWORKS_ATTACHMENTS",
  compatible: "HOLDFAST_COMPATIBLE_ATTACHMENTS",
};

const TYPE = /^[a-z0-9][\w.+-]*\/(?:\*|[\w.+-]+)$/;

/** @throws UsageError for what is no list of MIME types. */
export function endpointAttachments(
  environment: Readonly<Record<string, string | undefined>>,
): EndpointAttachments {
  const { fireworks, compatible } = ATTACHMENTS_VARIABLES;
  return { fireworks: typesIn(environment, fireworks), compatible: typesIn(environment, compatible) };
}

function typesIn(
  environment: Readonly<Record<string, string | undefined>>,
  variable: string,
): readonly string[] {
  const types = (environment[variable] ?? "")
    .split(",")
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type !== "");
  const wrong = types.find((type) => !TYPE.test(type));
  if (wrong === undefined) return types;
  throw new UsageError(
    `${variable} is a list of MIME types, and ${JSON.stringify(wrong)} is none: write it as application/pdf,image/webp.`,
  );
}
