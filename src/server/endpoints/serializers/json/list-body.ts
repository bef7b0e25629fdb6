import type { Steps } from "../../../../base/async/steps.js";
import { decodeJson } from "../../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../../machinery/wire/json/json-encoder.js";
import { jsonBytes, NEWLINE } from "./json-text.js";

/** The fields of a list itself: those that stand before its members, and those behind them, if any. */
export interface ListEnvelope {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** The end of the JSON of a list, from behind its last member. */
export const listEnd = ({ after }: ListEnvelope): string =>
  after === undefined ? "]}" : `],${encodeJson(after).slice(1)}`;

/** A list as it is answered: made member by member while it is written, so that a long one is never whole in memory. */
export interface ListBody {
  readonly envelope: ListEnvelope;
  readonly field: "items" | "rows";
  /** The JSON of each member, in parts. Walked once. */
  readonly members: Iterable<readonly Uint8Array[]>;
}

const COMMA = Buffer.from(",");

/** The list in one line. Nothing of a member is made before it is its turn; so in the other two forms. */
export function* jsonParts({ envelope, field, members }: ListBody): Generator<Uint8Array> {
  yield jsonBytes(envelope.before).subarray(0, -1);
  yield Buffer.from(`,"${field}":[`);
  let first = true;
  for (const member of members) {
    if (!first) yield COMMA;
    first = false;
    yield* member;
  }
  yield Buffer.from(listEnd(envelope));
  yield NEWLINE;
}

/** The list indented, for people. */
export function* indentedParts({ envelope, field, members }: ListBody): Generator<Uint8Array> {
  const [before, after] = around(encodeJson(emptyList(envelope, field), { indent: 2 }), "[]");
  yield Buffer.from(`${before}[`);
  let count = 0;
  for (const member of members) {
    const text = encodeJson(valueOf(member), { indent: 2 }).replaceAll("\n", "\n    ");
    yield Buffer.from(`${count++ === 0 ? "" : ","}\n    ${text}`);
  }
  yield Buffer.from(`${count === 0 ? "" : "\n  "}]${after}`);
}

/**
 * The list as YAML by `emit`. Members stand where they would in a list of one, because a list is not indented under its key.
 */
export function* yamlParts(
  { envelope, field, members }: ListBody,
  emit: (value: unknown) => Steps<string>,
): Generator<Uint8Array> {
  const [before, after] = around(`\n${yield* inParts(emit(emptyList(envelope, field)))}`, `\n${field}: []\n`);
  yield Buffer.from(`${before.slice(1)}${before === "" ? "" : "\n"}${field}:`);
  let count = 0;
  for (const member of members) {
    const text = yield* inParts(emit([valueOf(member)]));
    yield Buffer.from(`${count++ === 0 ? "\n" : ""}${text}`);
  }
  yield Buffer.from(`${count === 0 ? " []\n" : ""}${after}`);
}

/** Work whose pauses are parts with nothing in them: between parts others have their turn. */
function* inParts<T>(steps: Steps<T>): Generator<Uint8Array, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield NOTHING;
  }
}

const NOTHING = new Uint8Array();

const emptyList = ({ before, after }: ListEnvelope, field: string): Readonly<Record<string, unknown>> => ({
  ...before,
  [field]: [],
  ...after,
});

/** What stands before and after the last occurrence of `text`. */
function around(whole: string, text: string): [string, string] {
  const at = whole.lastIndexOf(text);
  return [whole.slice(0, at), whole.slice(at + text.length)];
}

const valueOf = (member: readonly Uint8Array[]): unknown => decodeJson(Buffer.concat(member)).value;
