/** The files that go with the next message of a chat. */
import { checkFiles, type FileReader } from "../client/check-files.js";

/** Each file is checked when it is named, and again when a message could not be sent. */
export class ChatFiles {
  readonly #cwd: string;
  readonly #reader: () => Promise<FileReader>;
  #paths: readonly string[];

  constructor(paths: readonly string[], cwd: string, reader: () => Promise<FileReader>) {
    this.#paths = paths;
    this.#cwd = cwd;
    this.#reader = reader;
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  /** @throws UsageError for a file that cannot be sent, or that the model does not take; it is not kept then. */
  async add(path: string): Promise<void> {
    await checkFiles([path], { cwd: this.#cwd, reader: await this.#reader() });
    this.#paths = [...this.#paths, path];
  }

  clear(): void {
    this.#paths = [];
  }

  /** Lets go of those that cannot be sent any more. */
  async keepGood(): Promise<void> {
    const reader = await this.#reader().catch(() => undefined);
    const checked = await Promise.all(
      this.#paths.map((path) =>
        checkFiles([path], { cwd: this.#cwd, reader }).then(
          () => [path],
          () => [],
        ),
      ),
    );
    this.#paths = checked.flat();
  }

  /** What goes with the next message, and how to change that. */
  describe(): string {
    return this.#paths.length === 0
      ? "no file is attached; /file PATH attaches one"
      : `goes with the next message: ${this.#paths.join(", ")}; /file - drops ${this.#paths.length === 1 ? "it" : "them"}`;
  }
}
