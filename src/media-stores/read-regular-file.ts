/** Reading a file that may be anything: a link, a pipe, a device or a folder is not read. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A link could lead out of the folder, and a pipe would never end. Neither flag exists everywhere. */
const READ_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const CHUNK_BYTES: number = 1024 * 1024;

export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Undefined where there is nothing. @throws `refusal()` for what is no regular file, and the system's errors. */
export async function openRegularFile(path: string, refusal: () => Error): Promise<FileHandle | undefined> {
  const file = await open(path, READ_FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (isAbsent(error)) return undefined;
    if (error.code === "ELOOP") throw refusal();
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) throw refusal();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The file from its start, in chunks with memory of their own. The caller closes it. */
export async function* readChunks(
  file: FileHandle,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { size } = await file.stat();
  for (let position = 0; ; ) {
    signal?.throwIfAborted();
    // One byte more than is left tells the end of a small file in one read.
    const length = Math.min(CHUNK_BYTES, Math.max(size - position, 0) + 1);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** The file as it is when it is opened, in one buffer. The caller closes it. */
export async function readWhole(file: FileHandle, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const { size } = await file.stat();
  const whole = Buffer.allocUnsafeSlow(size);
  for (let position = 0; position < size; ) {
    signal?.throwIfAborted();
    const length = Math.min(CHUNK_BYTES, size - position);
    const { bytesRead } = await file.read(whole, position, length, position);
    if (bytesRead === 0) return whole.subarray(0, position);
    position += bytesRead;
  }
  return whole;
}
