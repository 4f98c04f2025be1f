/** A namespace told apart from one of the same name on another server: a journal may outlive a change of the server's address. */
import type { Client } from "@temporalio/client";

const ASKING_MS = 5_000;

/** The namespace's own id; where the server does not tell it, its name and the server's address. */
export async function namespacePlace(client: Client, address: string | undefined): Promise<string> {
  const { namespace } = client.options;
  try {
    const { namespaceInfo } = await client.withDeadline(Date.now() + ASKING_MS, () =>
      client.workflowService.describeNamespace({ namespace }),
    );
    if (namespaceInfo?.id != null && namespaceInfo.id !== "") return namespaceInfo.id;
  } catch {
    // Not every role on a shared cluster may ask.
  }
  return `${address ?? ""}/${namespace}`;
}
