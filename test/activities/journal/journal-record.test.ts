import { describe, expect, it } from "vitest";
import {
  type JournalRecord,
  readRecord,
  recordText,
} from "../../../src/activities/journal/journal-record.js";
import { openPayload, sealPayload } from "../../../src/activities/journal/sealed-payload.js";
import { CODED, PLAIN, REPLY, recordOf } from "../../support/journal-samples.js";

describe("an entry of the journal", () => {
  it("JRN-9 is read as it was written, and not at all where anything of it is missing or changed", () => {
    const record = recordOf();
    const text = recordText(record);
    expect(readRecord(text)).toEqual(record);
    for (let length = 0; length < text.length - 1; length += 7) {
      expect(readRecord(text.slice(0, length))).toBe("damaged");
    }
    expect(readRecord(text.replace('"calls":3', '"calls":9'))).toBe("damaged");
    expect(readRecord("\u0000".repeat(500))).toBe("damaged");
    expect(readRecord(recordText({ version: 1 } as unknown as JournalRecord))).toBe("damaged");
    expect(readRecord(recordText({ ...record, owner: "me" } as unknown as JournalRecord))).toBe("damaged");
  });

  it("JRN-9 is what was written last, and what was known before where that write was cut off", () => {
    const begun = recordText(recordOf());
    const changed = { ...recordOf(), progress: { attempt: 2, calls: 9, failures: 1 } };
    const more = recordText(changed);
    expect(readRecord(begun + more)).toEqual(changed);
    for (let length = 0; length < more.length - 1; length += 7)
      expect(readRecord(begun + more.slice(0, length))).toEqual(recordOf());
    expect(readRecord(begun + more.slice(0, 100) + more)).toEqual(changed);
  });

  it("JRN-9 of a later release is told from a damaged one", () => {
    expect(readRecord(recordText({ ...recordOf(), version: 2 } as unknown as JournalRecord))).toBe("newer");
  });

  it("JRN-10 holds the reply as the payload codecs make it", async () => {
    expect(await openPayload(PLAIN, await sealPayload(PLAIN, REPLY))).toEqual(REPLY);
    const sealed = await sealPayload(CODED, REPLY);
    expect(Buffer.from(sealed.data, "base64").toString("latin1")).not.toContain("Clause");
    expect(await openPayload(CODED, sealed)).toEqual(REPLY);
  });
});
