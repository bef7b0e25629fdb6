import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import type { LineReader } from "../latin-text.js";
import type { PosixRegexp } from "../posix-regexp.js";

/** The separator of fields: a blank stands for blanks and line feeds, other characters for themselves. */
export type Separator = string | PosixRegexp;

/** Splits a text into its fields. */
export function* fieldsOf(text: string, separator: Separator): Steps<string[]> {
  if (text === "") return [];
  const pace = new Pace();
  const fields: string[] = [];
  if (separator === " ") {
    const word = /[^ \t\n]+/g;
    for (let found = word.exec(text); found !== null; found = word.exec(text)) {
      fields.push(found[0]);
      if (pace.isDue()) yield;
    }
    return fields;
  }
  let start = 0;
  if (typeof separator === "string") {
    if (separator === "") {
      for (const char of text) {
        fields.push(char);
        if (pace.isDue()) yield;
      }
      return fields;
    }
    for (let end = text.indexOf(separator); end >= 0; end = text.indexOf(separator, start)) {
      fields.push(text.slice(start, end));
      start = end + separator.length;
      if (pace.isDue()) yield;
    }
  } else {
    let from = 0;
    for (let match = separator.exec(text); match !== undefined; match = separator.exec(text, from)) {
      const [begin = 0, end = 0] = match;
      from = end;
      if (end === begin) {
        from += 1;
        if (from > text.length) break;
        continue;
      }
      fields.push(text.slice(start, begin));
      start = end;
      if (pace.isDue()) yield;
    }
  }
  fields.push(text.slice(start));
  return fields;
}

/** The separator of records. */
export type RecordSeparator =
  | { readonly kind: "character"; readonly char: string }
  /** Empty lines. */
  | { readonly kind: "paragraph" }
  | { readonly kind: "regexp"; readonly regexp: PosixRegexp };

/** Reads records of some lines. */
export class RecordReader {
  /** What was read and is no record yet. */
  #rest: string | undefined;

  constructor(private readonly reader: LineReader) {}

  /** A record that is there without waiting. */
  ready(separator: RecordSeparator): string | undefined {
    if (separator.kind !== "character" || this.#rest !== undefined) return undefined;
    this.reader.delimiter = separator.char.charCodeAt(0);
    return this.reader.ready();
  }

  async next(separator: RecordSeparator): Promise<string | undefined> {
    if (separator.kind === "character") {
      this.reader.delimiter = separator.char.charCodeAt(0);
      const rest = this.#rest;
      if (rest === undefined) return this.reader.ready() ?? this.reader.next();
      this.#rest = undefined;
      const end = rest.indexOf(separator.char);
      if (end < 0) return rest;
      if (end + 1 < rest.length) this.#rest = rest.slice(end + 1);
      return rest.slice(0, end);
    }
    this.reader.delimiter = LINE_FEED;
    return separator.kind === "paragraph" ? this.#paragraph() : this.#record(separator.regexp);
  }

  async #line(): Promise<string | undefined> {
    return this.reader.ready() ?? this.reader.next();
  }

  async #paragraph(): Promise<string | undefined> {
    let line = await this.#line();
    while (line === "") line = await this.#line();
    if (line === undefined) return undefined;
    let paragraph = line;
    for (line = await this.#line(); line !== undefined && line !== ""; line = await this.#line())
      paragraph += `\n${line}`;
    return paragraph;
  }

  async #record(regexp: PosixRegexp): Promise<string | undefined> {
    for (;;) {
      const rest = this.#rest;
      const match = rest === undefined ? undefined : regexp.exec(rest);
      const [begin = 0, end = 0] = match ?? [];
      // A match at the end may grow with the next line.
      if (rest !== undefined && match !== undefined && end > begin && end < rest.length) {
        this.#rest = rest.slice(end);
        return rest.slice(0, begin);
      }
      const line = await this.#line();
      if (line !== undefined) {
        this.#rest = (rest ?? "") + line + (this.reader.isUnended ? "" : "\n");
        continue;
      }
      this.#rest = undefined;
      if (rest === undefined || rest === "") return undefined;
      if (match !== undefined && end > begin) return rest.slice(0, begin);
      return rest;
    }
  }
}

const LINE_FEED = 10;
