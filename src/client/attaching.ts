/** How a conversation's messages get their files: read and put into the working store, for whom they will be read by. */
import { attachFiles } from "./attach-files.js";
import type { ClientContext } from "./client-context.js";
import type { ConversationQueries } from "./conversation-queries.js";
import { fileReader } from "./file-reader.js";
import type { Attaching } from "./submission.js";

export function attaching(context: ClientContext, queries: ConversationQueries): Attaching {
  return {
    mediaStore: context.mediaStore,
    attach: async (files) =>
      files.length === 0 ? [] : attachFiles(context, files, await fileReader(context, queries)),
  };
}
