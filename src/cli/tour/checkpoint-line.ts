/** The checkpoint file as it lies on the disk: read anew, checked, and described in a line. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseEnvelope } from "../../core/envelope/parse-envelope.js";
import { bytes } from "./scene.js";

export async function checkpointLine(path: string): Promise<string> {
  const text = await readFile(path, "utf8");
  const { metadata } = parseEnvelope(text).envelope;
  const turns = metadata.run_count === 1 ? "1 turn" : `${metadata.run_count} turns`;
  return `${basename(path)}: ${turns}, ${bytes(Buffer.byteLength(text))}`;
}
