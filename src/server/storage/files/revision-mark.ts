import { readFileSync } from "node:fs";
import type { DurableFiles, FileStamp } from "./durable-files.js";
import { stampOf } from "./durable-files.js";
import { dirname } from "node:path";

/** Revisions that are reserved at a time, so that not every write has to write the mark. */
const BLOCK = 10_000;

/** A file with a revision that no store has exceeded: after a restart all revisions are above it. */
export class RevisionMark {
  #reserved = 0;
  #stamp: FileStamp | undefined;

  constructor(
    private readonly path: string,
    private readonly files: DurableFiles,
  ) {}

  /** The highest revision that may have been given; undefined where no mark tells. */
  async read(): Promise<number | undefined> {
    this.#stamp = await stampOf(this.path);
    try {
      const text = readFileSync(this.path, "utf8").trim();
      return /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Resolves when revisions up to this one may be given. */
  async reserve(revision: number): Promise<void> {
    if (revision > this.#reserved) await this.write(revision + BLOCK);
  }

  /** Sets the mark, at last to the revision that was given last. */
  async write(revision: number): Promise<void> {
    this.#stamp = await this.files.replace(this.path, Buffer.from(`${revision}\n`), this.#stamp);
    await this.files.settle(dirname(this.path));
    this.#reserved = revision;
  }
}
