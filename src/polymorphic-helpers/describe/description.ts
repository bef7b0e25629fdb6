/** The writer of a description. */
export interface DescriptionWriter {
  /** Adds text, indented by two spaces for each level. It brings its own newline. */
  write(level: number, text: string): void;
}

/**
 * The text of a description while it is written: lines of tab-separated cells. The printer aligns each part on its
 * own; a new part begins where kubectl flushes its writer.
 */
export class Description implements DescriptionWriter {
  readonly #parts: string[] = [""];

  write(level: number, text: string): void {
    this.#parts[this.#parts.length - 1] += `${"  ".repeat(level)}${text}`;
  }

  /** Ends the part: what follows is aligned anew. */
  flush(): void {
    this.#parts.push("");
  }

  parts(): readonly string[] {
    return this.#parts;
  }
}

/** Makes a writer that indents everything by further levels. */
export const nested = (writer: DescriptionWriter, levels: number): DescriptionWriter => ({
  write: (level, text) => writer.write(level + levels, text),
});
