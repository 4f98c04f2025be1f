import { describe, expect, it } from "vitest";
import { envelopeOf } from "../../../src/core/conversation/export.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { listOf } from "../../../src/core/conversation/state.js";
import { commitTurn } from "../../../src/core/conversation/turn.js";
import { turnView } from "../../../src/core/conversation/views.js";
import type { FileMarker, MediaEntry, MediaReportEntry } from "../../../src/core/envelope/envelope.js";
import { jsonByteLength } from "../../../src/core/json-byte-length.js";
import { answerTo, freshConversation, running } from "../../support/conversation-samples.js";
import { SAMPLE_TIME } from "../../support/envelope-samples.js";

const sha256 = "a".repeat(64);
const file: FileMarker = {
  marker: `$media:${sha256}.wav`,
  mime_type: "audio/wav",
  size_bytes: 3,
  name: "clip.wav",
};
const entry = (name: string): MediaEntry => ({
  mime_type: "audio/wav",
  size_bytes: 3,
  name: "clip.wav",
  ref: `${sha256}.wav`,
  uri: `https://generativelanguage.googleapis.com/v1beta/files/${name}`,
  expiration_time: SAMPLE_TIME,
});
const uploadOf = (name: string) => {
  const { uri = "", expiration_time = "" } = entry(name);
  return { uri, expiration_time, name: "clip.wav", mime_type: "audio/wav", size_bytes: 3, sha256 };
};

type Told = NonNullable<Parameters<typeof answerTo>[1]>;

function turn(state: ConversationState, id: string, told: Told, files?: readonly FileMarker[]) {
  const started = running(state, id, files === undefined ? {} : { files });
  return commitTurn(started, answerTo(started, told), SAMPLE_TIME);
}

describe("what a turn says of its files", () => {
  it("CNV-180 is in the media table with the newest address, while the history is left alone", () => {
    const first = turn(freshConversation(), "a", { media: { [sha256]: entry("one") } }, [file]);
    const second = turn(first, "b", { media: { [sha256]: entry("two") } });
    expect(envelopeOf(first, SAMPLE_TIME).media).toEqual({ [sha256]: entry("one") });
    expect(envelopeOf(second, SAMPLE_TIME).media).toEqual({ [sha256]: entry("two") });
    expect(listOf(second, "messages").slice(0, 2)).toEqual(listOf(first, "messages"));
  });

  it("CNV-181 is reported once, however many turns say it", () => {
    const gone: MediaReportEntry = {
      reason: "expired_unavailable",
      mime_type: "audio/wav",
      size: 3,
      message_index: 0,
      uri: entry("one").uri ?? "",
    };
    const first = turn(freshConversation(), "a", { media_report: [gone] });
    const second = turn(first, "b", { media_report: [gone, { ...gone, message_index: 2 }] });
    expect(listOf(second, "media_report")).toEqual([gone, { ...gone, message_index: 2 }]);
  });

  it("CNV-182 answers a late caller in full for the newest turn, and for earlier ones while the uploads are few", () => {
    const few = turn(freshConversation(), "a", { media_uploads: [uploadOf("one")] });
    const more = turn(few, "b", { media_uploads: [uploadOf("two")] });
    expect(turnView(more, "a").result?.media_uploads).toEqual([uploadOf("one")]);
    const many = Array.from({ length: 40 }, (_, index) => uploadOf(`many${index}`));
    let state = more;
    for (const id of "cdefghij") state = turn(state, id, { media_uploads: many });
    expect(turnView(state, "j").result?.media_uploads).toEqual(many);
    expect(turnView(state, "a").result?.media_uploads).toEqual([]);
    expect(jsonByteLength(state.head.recent)).toBeLessThan(40_000);
  });
});
