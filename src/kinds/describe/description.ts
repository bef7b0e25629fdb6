/**
 * The text of a description while it is written: lines of tab-separated cells. Whoever prints it aligns each part on its
 * own; a new part begins where kubectl flushes its writer.
 */
export class Description {
  readonly #parts: string[] = [""];

  /** Adds text, indented by two spaces for each level. It brings its own newline. */
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
