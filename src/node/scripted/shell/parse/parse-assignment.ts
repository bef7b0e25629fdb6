import type { Steps } from "../../../../base/async/steps.js";
import type { WordReader } from "./parse-word.js";
import type { ArrayElement, Assignment, ShellSyntaxError, Word } from "./syntax.js";

const ASSIGNMENT = /([A-Za-z_]\w*)(?:(\+?)=|\[)/y;

/** A longer text in brackets is no index, in UTF-16 units. */
const LONGEST_INDEX = 1024;

/** What a parser lends for an assignment. */
interface AssignmentSource {
  readonly reader: WordReader;
  /** Skips blanks and line breaks. */
  skip(): Steps<void>;
  take(operator: string): boolean;
  withBraces(word: Word): Steps<readonly Word[]>;
  unexpected(expecting?: string): ShellSyntaxError;
}

/** Parses the assignment at the reader's position; undefined for another word, and the position is unchanged then. */
export function* parseAssignment(source: AssignmentSource): Steps<Assignment | undefined> {
  const { reader } = source;
  ASSIGNMENT.lastIndex = reader.at;
  const [prefix, name = "", plus] = ASSIGNMENT.exec(reader.text) ?? [];
  if (prefix === undefined) return undefined;
  const { at } = reader;
  reader.at += prefix.length;
  let isAppended = plus === "+";
  let index: Word | undefined;
  if (prefix.endsWith("[")) {
    const end = endOfIndex(reader);
    const [close, sign] = end === undefined ? [] : (/^\](\+?)=/.exec(reader.text.slice(end, end + 3)) ?? []);
    if (end === undefined || close === undefined) {
      reader.at = at;
      return undefined;
    }
    index = yield* reader.wordUpTo(end);
    reader.at = end + close.length;
    isAppended = sign === "+";
  }
  const place = { name, isAppended, ...(index && { index }) };
  if (reader.text[reader.at] !== "(") return { ...place, value: (yield* reader.word()) ?? [] };
  reader.at += 1;
  return { ...place, value: [], elements: yield* elements(source) };
}

/** Where the index ends that begins here: on the same line. */
function endOfIndex(reader: WordReader): number | undefined {
  let depth = 1;
  const last = Math.min(reader.text.length, reader.at + LONGEST_INDEX);
  for (let { at } = reader; at < last && reader.text[at] !== "\n"; at += 1) {
    if (reader.text[at] === "[") depth += 1;
    else if (reader.text[at] === "]" && (depth -= 1) === 0) return at;
  }
  return undefined;
}

/** The values of an array, with the parenthesis that ends them. */
function* elements(source: AssignmentSource): Steps<ArrayElement[]> {
  const { reader } = source;
  const values: ArrayElement[] = [];
  for (;;) {
    yield* source.skip();
    if (source.take(")")) return values;
    let index: Word | undefined;
    if (reader.text[reader.at] === "[") {
      reader.at += 1;
      const end = endOfIndex(reader);
      if (end !== undefined && reader.text[end + 1] === "=") {
        index = yield* reader.wordUpTo(end);
        reader.at = end + 2;
      } else reader.at -= 1;
    }
    const value = yield* reader.word();
    if (index !== undefined) values.push({ index, value: value ?? [] });
    else if (value === undefined) throw source.unexpected('")"');
    else for (const one of yield* source.withBraces(value)) values.push({ value: one });
  }
}
