import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Paragraph } from "../../../src/cli/tour/screen.js";

/** What a paragraph makes of the pieces, 3 columns indented and 20 wide. */
async function written(pieces: readonly string[], mark?: string): Promise<string> {
  const out = new PassThrough();
  const paragraph = new Paragraph(out, 3, 20);
  for (const piece of pieces) paragraph.write(piece);
  paragraph.end(mark);
  out.end();
  return text(out);
}

describe("what the tour prints", () => {
  it("CMD-91 breaks an answer at words while it streams, however it was cut, and ends no line with a blank", async () => {
    const whole = "The seller bears the risk of loss and damage.";
    const broken = "The seller bears\n   the risk of loss\n   and damage.\n";
    expect(await written([whole])).toBe(broken);
    expect(await written([...whole])).toBe(broken);
    expect(await written(whole.split(/(?<= )/))).toBe(broken);
    expect(await written(["The seller "], "…")).toBe("The seller …\n");
    expect(await written(["One.\n\nTwo."])).toBe("One.\n   Two.\n");
    expect(await written(["a", "-".repeat(30)])).toBe(`a${"-".repeat(30)}\n`);
    expect(await written(["red \u001b[31mtext"])).toBe("red [31mtext\n");
  });
});
