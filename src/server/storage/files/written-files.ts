import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import type { DurableFiles } from "./durable-files.js";
import { stampOf } from "./durable-files.js";

/**
 * Remembers, beyond the end of the process, which contents of files the store has written or the server has accepted. Of all others
 * somebody else has changed them meanwhile. After a power failure the newest may be forgotten: those are looked at once more.
 */
export class WrittenFiles {
  #known = new Map<string, string>();
  #lines = "";

  constructor(private readonly path: string) {
    for (const line of readLines(path)) {
      const space = line.indexOf(" ");
      if (space > 0) this.#known.set(line.slice(space + 1), line.slice(0, space));
    }
  }

  has(path: string, content: Uint8Array): boolean {
    return this.#known.get(path) === hashOf(content);
  }

  note(path: string, content: Uint8Array): void {
    const hash = hashOf(content);
    if (this.#known.get(path) === hash) return;
    this.#known.set(path, hash);
    this.#lines += `${hash} ${path}\n`;
  }

  /** Writes what was noted. It need not reach the disk. */
  flush(): void {
    if (this.#lines === "") return;
    try {
      appendFileSync(this.path, this.#lines, { mode: 0o600 });
      this.#lines = "";
    } catch {
      // The disk is full, or the folder is gone. The next flush writes the lines.
    }
  }

  /** Writes the file anew, with the files that there are. */
  async rewrite(files: DurableFiles, paths: Iterable<string>): Promise<void> {
    const known = new Map<string, string>();
    for (const path of paths) {
      const hash = this.#known.get(path);
      if (hash !== undefined) known.set(path, hash);
    }
    this.#known = known;
    this.#lines = "";
    const text = [...known].map(([path, hash]) => `${hash} ${path}\n`).join("");
    await files.replace(this.path, Buffer.from(text), await stampOf(this.path));
  }
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64url").slice(0, 22);
