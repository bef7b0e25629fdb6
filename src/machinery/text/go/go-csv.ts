/** A record of a CSV text. */
export interface CsvRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

const QUOTE = '"';

/**
 * Reads CSV as Go's encoding/csv does by default, with any number of fields in a record: empty lines are no records, and quotes stand
 * around whole fields, where a quote is doubled. Throws an Error in Go's words, which show no part of the text.
 */
export function readCsv(text: string): readonly CsvRecord[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const records: CsvRecord[] = [];
  for (let at = 0; at < lines.length; ) {
    if (withoutReturn(lines[at] ?? "") === "") {
      at += 1;
      continue;
    }
    const reader = new RecordReader(lines, at);
    records.push({ line: at + 1, fields: reader.read() });
    at = reader.next;
  }
  return records;
}

class RecordReader {
  readonly #fields: string[] = [];
  #line: number;
  #column = 0;

  constructor(
    private readonly lines: readonly string[],
    private readonly start: number,
  ) {
    this.#line = start;
  }

  /** The line after the record. */
  get next(): number {
    return this.#line + 1;
  }

  read(): readonly string[] {
    do this.#fields.push(this.#text[this.#column] === QUOTE ? this.#quoted() : this.#bare());
    while (this.#skipComma());
    return this.#fields;
  }

  get #text(): string {
    return withoutReturn(this.lines[this.#line] ?? "");
  }

  #skipComma(): boolean {
    if (this.#text[this.#column] !== ",") return false;
    this.#column += 1;
    return true;
  }

  #bare(): string {
    const end = this.#text.indexOf(",", this.#column);
    const field = this.#text.slice(this.#column, end < 0 ? undefined : end);
    const quote = field.indexOf(QUOTE);
    if (quote >= 0) throw this.#failure(this.#column + quote, 'bare " in non-quoted field');
    this.#column += field.length;
    return field;
  }

  /** A field in quotes may go over several lines. */
  #quoted(): string {
    let field = "";
    this.#column += 1;
    for (;;) {
      const end = this.#text.indexOf(QUOTE, this.#column);
      if (end < 0) {
        field += `${this.#text.slice(this.#column)}\n`;
        if (this.#line + 1 >= this.lines.length) {
          throw this.#failure(this.#text.length, 'extraneous or missing " in quoted-field');
        }
        this.#line += 1;
        this.#column = 0;
        continue;
      }
      field += this.#text.slice(this.#column, end);
      const after = this.#text[end + 1];
      if (after === QUOTE) {
        field += QUOTE;
        this.#column = end + 2;
      } else if (after === undefined || after === ",") {
        this.#column = end + 1;
        return field;
      } else {
        throw this.#failure(end, 'extraneous or missing " in quoted-field');
      }
    }
  }

  /** Go counts columns in bytes, from 1. */
  #failure(column: number, problem: string): Error {
    const at = `line ${this.#line + 1}, column ${Buffer.byteLength(this.#text.slice(0, column)) + 1}`;
    const start = this.#line === this.start ? "" : `record on line ${this.start + 1}; `;
    return new Error(`${start}parse error on ${at}: ${problem}`);
  }
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
