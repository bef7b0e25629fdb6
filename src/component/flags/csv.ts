import { csvError } from "../../base/text/go-errors.js";

/**
 * Reads one record as Go's encoding/csv does for pflag's stringSlice: `a,"b,c",d`. An empty text has no values;
 * only the first line counts. @throws with Go's text on a stray quote
 */
export function readCsv(text: string): string[] {
  if (text === "") return [];
  const start = /^(\r?\n)*/.exec(text)?.[0].length ?? 0;
  if (start === text.length) throw new Error("EOF");
  return new CsvReader(text, start).record();
}

class CsvReader {
  #line: number;
  #lineStart: number;

  constructor(
    readonly text: string,
    private position: number,
  ) {
    this.#line = 1 + (text.slice(0, position).match(/\n/g)?.length ?? 0);
    this.#lineStart = position;
  }

  record(): string[] {
    const fields: string[] = [];
    for (;;) {
      fields.push(this.text[this.position] === '"' ? this.#quoted() : this.#plain());
      if (this.text[this.position] !== ",") return fields;
      this.position++;
    }
  }

  #plain(): string {
    const field = /[^,\n]*/y;
    field.lastIndex = this.position;
    const value = (field.exec(this.text)?.[0] ?? "").replace(/\r$/, "");
    const quote = value.indexOf('"');
    if (quote >= 0) throw csvError(this.#line, this.#column(this.position + quote), 'bare " in non-quoted-field');
    this.position += value.length;
    if (this.text.startsWith("\r\n", this.position)) this.position++;
    return value;
  }

  #quoted(): string {
    let value = "";
    this.position++;
    for (;;) {
      const end = this.text.indexOf('"', this.position);
      if (end < 0) this.#missingQuote();
      value += this.#take(end);
      this.position = end + 1;
      const next = this.text[this.position];
      if (next === undefined || next === "," || next === "\n") return value;
      if (next === "\r" && this.text[this.position + 1] === "\n") return value;
      if (next !== '"') throw csvError(this.#line, this.#column(end), 'extraneous or missing " in quoted-field');
      value += '"';
      this.position++;
    }
  }

  #take(end: number): string {
    const chunk = this.text.slice(this.position, end);
    for (let index = chunk.indexOf("\n"); index >= 0; index = chunk.indexOf("\n", index + 1)) {
      this.#line++;
      this.#lineStart = this.position + index + 1;
    }
    return chunk.replaceAll("\r\n", "\n");
  }

  #missingQuote(): never {
    this.#take(this.text.length);
    throw csvError(this.#line, this.#column(this.text.length), 'extraneous or missing " in quoted-field');
  }

  #column(position: number): number {
    return Buffer.byteLength(this.text.slice(this.#lineStart, position)) + 1;
  }
}
