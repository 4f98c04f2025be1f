import { describe, expect, it } from "vitest";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import { blamingAttachments } from "../../src/providers/blame-attachment.js";

const failure = (...[kind, message, details]: ConstructorParameters<typeof ProviderFailure>) =>
  new ProviderFailure(kind, message, details);

describe("a refusal that a file may have caused", () => {
  it("PRV-120 names the files of the turn", () => {
    const refused = failure("attachment_refused", "Anthropic refused an attachment.", { status: 400 });
    expect(blamingAttachments(refused, ["scan.png", "contract.pdf"])).toMatchObject({
      kind: "attachment_refused",
      status: 400,
      message:
        "Anthropic refused an attachment. Attached to this message: scan.png, contract.pdf. The conversation goes on without it.",
    });
    expect(
      blamingAttachments(failure("bad_request", "Google refused the request."), ["clip.wav"]),
    ).toMatchObject({
      kind: "bad_request",
      message: "Google refused the request. The cause may be what was attached: clip.wav.",
    });
  });

  it("PRV-121 is one for the files' sake where the request was too large and had some", () => {
    const large = failure("context_too_long", "Request exceeds the maximum size.", { status: 413 });
    expect(blamingAttachments(large, ["film.mp4"])).toMatchObject({
      kind: "attachment_refused",
      status: 413,
    });
    const payload = failure("context_too_long", "Request payload size exceeds the limit: 20971520 bytes.", {
      status: 400,
    });
    expect(blamingAttachments(payload, ["film.mp4"])).toMatchObject({ kind: "attachment_refused" });
    expect(blamingAttachments(large, [])).toBe(large);
    const long = failure("context_too_long", "prompt is too long", { status: 400 });
    expect(blamingAttachments(long, ["film.mp4"])).toBe(long);
  });

  it("PRV-122 says that the file stands in the history where the turn had none", () => {
    const refused = failure("attachment_refused", "Anthropic refused an attachment.");
    const told = blamingAttachments(refused, []);
    expect(told).toMatchObject({
      message: expect.stringMatching(
        /stands in the history, .*: start anew without it, fork before the turn that brought it, or rebind/,
      ),
    });
    const remedy = "Send the message again with another format, a smaller file or without it.";
    const whole = blamingAttachments(
      failure("attachment_refused", `Anthropic refused an attachment. ${remedy}`),
      [],
    );
    expect((whole as Error).message).not.toContain("Send the message again");
  });

  it("PRV-123 leaves all other errors as they are, and bounds what it writes", () => {
    const busy = failure("overloaded", "Busy.", { status: 529 });
    expect(blamingAttachments(busy, ["a.png"])).toBe(busy);
    const other = new Error("no failure");
    expect(blamingAttachments(other, ["a.png"])).toBe(other);
    const names = Array.from({ length: 1_000 }, (_, index) => `scan-${index}.png`);
    const told = blamingAttachments(
      failure("attachment_refused", "x".repeat(2_048)),
      names,
    ) as ProviderFailure;
    expect(Buffer.byteLength(told.message)).toBeLessThanOrEqual(2_048);
    expect(told.message).toContain("scan-0.png");
  });
});
