import type { Steps } from "../../../../base/async/steps.js";
import type { WordReader } from "./parse-word.js";
import { type Condition, ShellSyntaxError, type Word } from "./syntax.js";

/** How deep parentheses and negations may stand in each other. */
const MOST_NESTED = 100;
const CONDITION_BYTES = 256;
const UNARY = /-[a-zA-Z](?=[ \t\r\n])/y;
const BINARY = /(?:==|=~|!=|=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)(?=[ \t\r\n]))/y;
const END = /\]\](?=[\s;&|<>()]|$)/y;
/** A word that another word may follow: what is behind it tells that "-f" and its kin are no operators here. */
const NO_OPERAND = /[ \t\r\n]*(?:\]\](?=[\s;&|<>()]|$)|&&|\|\||\))/y;

/** What a parser lends for what stands between [[ and ]]. */
interface ConditionSource {
  readonly reader: WordReader;
  /** Skips blanks and line breaks. */
  skip(): Steps<void>;
  take(operator: string): boolean;
  count(bytes: number): void;
  unexpected(expecting?: string): ShellSyntaxError;
}

/** Parses the condition after [[, up to and including ]]. */
export function* parseCondition(source: ConditionSource): Steps<Condition> {
  const condition = yield* either(source, 0);
  yield* source.skip();
  if (!runs(source, END)) throw source.unexpected('"]]"');
  return condition;
}

function* either(source: ConditionSource, depth: number): Steps<Condition> {
  const all = [yield* both(source, depth)];
  for (yield* source.skip(); source.take("||"); yield* source.skip()) all.push(yield* both(source, depth));
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : { kind: "or", all };
}

function* both(source: ConditionSource, depth: number): Steps<Condition> {
  const all = [yield* primary(source, depth)];
  for (yield* source.skip(); source.take("&&"); yield* source.skip()) all.push(yield* primary(source, depth));
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : { kind: "and", all };
}

function* primary(source: ConditionSource, depth: number): Steps<Condition> {
  const { reader } = source;
  if (depth > MOST_NESTED) throw new ShellSyntaxError("Syntax error: nested too deeply", reader.line);
  source.count(CONDITION_BYTES);
  yield* source.skip();
  if (/^!\s/.test(reader.text.slice(reader.at, reader.at + 2))) {
    reader.at += 1;
    return { kind: "not", condition: yield* primary(source, depth + 1) };
  }
  if (source.take("(")) {
    const inner = yield* either(source, depth + 1);
    yield* source.skip();
    if (!source.take(")")) throw source.unexpected('")"');
    return inner;
  }
  const { at } = reader;
  const unary = runs(source, UNARY);
  if (unary !== undefined && !matchesHere(source, NO_OPERAND)) {
    yield* source.skip();
    return { kind: "unary", operator: unary, word: yield* operand(source) };
  }
  reader.at = at;
  const left = yield* operand(source);
  yield* source.skip();
  const operator = runs(source, BINARY);
  if (operator === undefined) return { kind: "unary", operator: "-n", word: left };
  yield* source.skip();
  const right = operator === "=~" ? yield* reader.regularExpression() : yield* operand(source);
  return { kind: "binary", operator, left, right };
}

function* operand(source: ConditionSource): Steps<Word> {
  if (matchesHere(source, END)) throw source.unexpected();
  const word = yield* source.reader.word();
  if (word === undefined) throw source.unexpected();
  return word;
}

/** Moves on behind what the pattern matches here. */
function runs({ reader }: ConditionSource, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  reader.at += found?.length ?? 0;
  return found;
}

function matchesHere({ reader }: ConditionSource, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  return pattern.test(reader.text);
}
