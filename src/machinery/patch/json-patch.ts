import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Steps } from "../../base/async/steps.js";
import { int64Of } from "../../base/numbers/int64.js";
import { maxBodyDepth } from "../wire/json/json-decoder.js";
import { measureJson } from "./json-size.js";
import { deepEqual, getOwn, setOwn } from "./json-values.js";
import { PatchError } from "./patch-error.js";

export interface JsonPatchLimits {
  readonly maxOperations: number;
  /** How many bytes of JSON all `copy` operations together may add. 0: no limit. */
  readonly maxCopiedBytes: number;
}

/** kube-apiserver's limits of a JSON patch. */
export const SERVER_JSON_PATCH_LIMITS: JsonPatchLimits = { maxOperations: 10_000, maxCopiedBytes: 3 * 1024 * 1024 };

/**
 * Applies an RFC 6902 patch as kube-apiserver does it: all operations or none; `replace` on a missing object member
 * adds it, negative list indices count from the end, and `replace` alone may address the whole document.
 * Throws a {@link PatchError} with the reference implementation's text. Never changes its arguments; what it did not change
 * is shared with them.
 */
export function applyJsonPatch(
  document: JsonValue,
  operations: JsonValue,
  limits: JsonPatchLimits = SERVER_JSON_PATCH_LIMITS,
): JsonValue {
  const steps = jsonPatchSteps(document, operations, limits);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** {@link applyJsonPatch} operation by operation, for a caller that yields the event loop in between. */
export function* jsonPatchSteps(
  document: JsonValue,
  operations: JsonValue,
  limits: JsonPatchLimits = SERVER_JSON_PATCH_LIMITS,
): Steps<JsonValue> {
  const steps = decode(operations);
  if (steps.length > limits.maxOperations) {
    const text = `The allowed maximum operations in a JSON patch is ${limits.maxOperations}, got ${steps.length}`;
    throw new PatchError(text, "tooLarge");
  }
  const state: State = { root: document, own: new WeakSet(), copiedBytes: 0, mayBeDeep: false, limits };
  for (const step of steps) {
    applyStep(state, step);
    yield;
  }
  if (state.mayBeDeep && measureJson(state.root).depth > maxBodyDepth) throw tooDeep();
  return state.root;
}

interface State {
  root: JsonValue;
  /** Lists and objects that this run made and that stand in one place only: they may be changed where they are. */
  own: WeakSet<object>;
  copiedBytes: number;
  /** Something was put where something may already be nested. */
  mayBeDeep: boolean;
  readonly limits: JsonPatchLimits;
}

const tooDeep = (): PatchError => new PatchError("exceeded max depth", "doesNotApply");

/** The container itself, or a copy that may be changed. What is in it stands in the copy too. */
function owned<T extends JsonObject | JsonValue[]>(state: State, container: T): T {
  if (state.own.has(container)) return container;
  const copy = copyOf(container) as T;
  for (const held of Object.values(copy)) if (held !== null && typeof held === "object") state.own.delete(held);
  state.own.add(copy);
  return copy;
}

function copyOf(container: JsonObject | JsonValue[]): JsonObject | JsonValue[] {
  return Array.isArray(container) ? container.slice() : { ...container };
}

function decode(operations: JsonValue): readonly JsonObject[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw malformed(operations, "jsonpatch.Patch");
  return operations.map((operation) => {
    if (operation === null) return {};
    if (!isJsonObject(operation)) throw malformed(operation, "jsonpatch.Operation");
    return operation;
  });
}

function malformed(value: JsonValue, target: string): PatchError {
  const kind = Array.isArray(value) ? "array" : isJsonObject(value) ? "object" : jsonWord(value);
  return new PatchError(`json: cannot unmarshal ${kind} into Go value of type ${target}`, "malformed");
}

const jsonWord = (value: JsonValue): string =>
  typeof value === "string" ? "string" : typeof value === "boolean" ? "bool" : "number";

const OPERATIONS = new Map(Object.entries({ add, remove, replace, move, copy, test }));

function applyStep(state: State, step: JsonObject): void {
  const op = getOwn(step, "op");
  const kind = typeof op === "string" ? op : "unknown";
  const operation = OPERATIONS.get(kind);
  if (operation === undefined) throw new PatchError(`Unexpected kind: ${kind}`, "doesNotApply");
  operation(state, step);
}

function add(state: State, step: JsonObject): void {
  const path = member(step, "path");
  if (path === undefined) throw missing("add operation failed to decode path");
  const place =
    findToChange(state, path) ?? fail(missing(`add operation does not apply: doc is missing path: "${path}"`));
  within(`error in add for path: '${path}'`, () => insert(place, valueOf(step)));
}

function remove(state: State, step: JsonObject): void {
  const path = member(step, "path");
  if (path === undefined) throw missing("remove operation failed to decode path");
  const place =
    findToChange(state, path) ?? fail(missing(`remove operation does not apply: doc is missing path: "${path}"`));
  within(`error in remove for path: '${path}'`, () => take(place));
}

function replace(state: State, step: JsonObject): void {
  const path = requirePath(step, "replace");
  const value = valueOf(step);
  if (path === "") {
    if (value === null || typeof value !== "object") {
      throw new PatchError("replace operation value must be object or array: %!w(<nil>)", "doesNotApply");
    }
    state.root = value;
    return;
  }
  const place =
    findToChange(state, path) ?? fail(missing(`replace operation does not apply: doc is missing path: ${path}`));
  try {
    put(place, value);
  } catch {
    throw missing(`replace operation does not apply: doc is missing key: ${path}`);
  }
}

function move(state: State, step: JsonObject): void {
  const from = requireFrom(step, "move");
  state.mayBeDeep = true;
  const source =
    findToChange(state, from) ?? fail(missing(`move operation does not apply: doc is missing from path: ${from}`));
  const value = within(`error in move for path: '${source.key}'`, () => {
    const current = read(source);
    take(source);
    return current ?? null;
  });
  const path = requirePath(step, "move");
  const target =
    findToChange(state, path) ??
    fail(missing(`move operation does not apply: doc is missing destination path: ${path}`));
  within(`error in move for path: '${path}'`, () => insert(target, value));
}

function copy(state: State, step: JsonObject): void {
  const from = requireFrom(step, "copy");
  const source = find(state, from) ?? fail(missing(`copy operation does not apply: doc is missing from path: ${from}`));
  const value = within(`error in copy for from: '${from}'`, () => read(source)) ?? null;
  const path = member(step, "path");
  if (path === undefined) throw missing("copy operation failed to decode path");
  if (value !== null && typeof value === "object") {
    state.mayBeDeep = true;
    // From now on the value stands in two places.
    state.own.delete(value);
  }
  const target =
    findToChange(state, path) ??
    fail(missing(`copy operation does not apply: doc is missing destination path: ${path}`));
  countCopy(state, value);
  within("error while adding value during copy", () => insert(target, value));
}

function test(state: State, step: JsonObject): void {
  const path = requirePath(step, "test");
  const expected = getOwn(step, "value") ?? null;
  const actual = path === "" ? state.root : readForTest(state, path);
  if (!deepEqual(actual, expected)) throw new PatchError(`testing value ${path} failed: test failed`, "doesNotApply");
}

function readForTest(state: State, path: string): JsonValue {
  const place = find(state, path) ?? fail(missing(`test operation does not apply: is missing path: ${path}`));
  return within(`error in test for path: '${path}'`, () => read(place)) ?? null;
}

function countCopy(state: State, value: JsonValue): void {
  const { maxCopiedBytes } = state.limits;
  if (maxCopiedBytes === 0) return;
  state.copiedBytes += measureJson(value).bytes;
  if (state.copiedBytes > maxCopiedBytes) {
    const text = `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${maxCopiedBytes}`;
    throw new PatchError(text, "doesNotApply");
  }
}

function requirePath(step: JsonObject, operation: string): string {
  return (
    member(step, "path") ?? fail(missing(`${operation} operation failed to decode path: operation missing path field`))
  );
}

function requireFrom(step: JsonObject, operation: string): string {
  return (
    member(step, "from") ?? fail(missing(`${operation} operation failed to decode from: operation, missing from field`))
  );
}

function member(step: JsonObject, name: string): string | undefined {
  const value = getOwn(step, name);
  return typeof value === "string" ? value : undefined;
}

const valueOf = (step: JsonObject): JsonValue => getOwn(step, "value") ?? null;

interface Place {
  readonly container: JsonObject | JsonValue[];
  readonly key: string;
}

/** A way so long may be one that this patch made step by step. */
const LONG_WAY = 200;

/** {@link find}, where the container may be changed: everything on the way to it is the run's own. */
function findToChange(state: State, path: string): Place | undefined {
  const tokens = path.split("/");
  if (tokens.length > LONG_WAY) state.mayBeDeep = true;
  if (tokens.length < 2 || find(state, path) === undefined) return undefined;
  const key = unescape(tokens.pop() as string);
  let container = (state.root = owned(state, state.root as JsonObject | JsonValue[]));
  for (const token of tokens.slice(1)) {
    const place = { container, key: unescape(token) };
    const inner = read(place) as JsonObject | JsonValue[];
    const mine = owned(state, inner);
    if (mine !== inner) put(place, mine);
    container = mine;
  }
  return { container, key };
}

/** Where the last token of a pointer points into; undefined when the way there does not exist. */
function find(state: State, path: string): Place | undefined {
  const tokens = path.split("/");
  if (tokens.length < 2) return undefined;
  const key = unescape(tokens.pop() as string);
  let container: JsonValue = state.root;
  for (const token of tokens.slice(1)) {
    if (container === null || typeof container !== "object") return undefined;
    try {
      container = read({ container, key: unescape(token) }) ?? null;
    } catch {
      return undefined;
    }
  }
  return container !== null && typeof container === "object" ? { container, key } : undefined;
}

const unescape = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

function read({ container, key }: Place): JsonValue | undefined {
  return Array.isArray(container) ? container[indexOf(container, key)] : getOwn(container, key);
}

/** Takes the place of what is there; a missing member of an object is added. */
function put({ container, key }: Place, value: JsonValue): void {
  if (Array.isArray(container)) container[indexOf(container, key)] = value;
  else setOwn(container, key, value);
}

function insert({ container, key }: Place, value: JsonValue): void {
  if (!Array.isArray(container)) return setOwn(container, key, value);
  if (key === "-") {
    container.push(value);
    return;
  }
  const index = within(`value was not a proper array index: '${key}'`, () => parseIndex(key));
  container.splice(inBounds(index, container.length + 1), 0, value);
}

function take({ container, key }: Place): void {
  if (Array.isArray(container)) {
    container.splice(indexOf(container, key), 1);
    return;
  }
  if (!Object.hasOwn(container, key)) throw missing(`Unable to remove nonexistent key: ${key}`);
  delete container[key];
}

const indexOf = (list: readonly JsonValue[], key: string): number => inBounds(parseIndex(key), list.length);

function inBounds(index: number, length: number): number {
  if (index >= length || index < -length) {
    throw new PatchError(`Unable to access invalid index: ${index}: invalid index referenced`, "doesNotApply");
  }
  return index < 0 ? index + length : index;
}

function parseIndex(key: string): number {
  if (!/^[+-]?[0-9]+$/.test(key)) {
    throw new PatchError(`strconv.Atoi: parsing ${goQuote(key)}: invalid syntax`, "doesNotApply");
  }
  const index = int64Of(key);
  if (index === undefined) {
    throw new PatchError(`strconv.Atoi: parsing ${goQuote(key)}: value out of range`, "doesNotApply");
  }
  return Number(index);
}

const missing = (message: string): PatchError => new PatchError(`${message}: missing value`, "doesNotApply");

function fail(error: PatchError): never {
  throw error;
}

/** Puts `context` before the message of what `action` throws. */
function within<T>(context: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof PatchError) throw new PatchError(`${context}: ${error.message}`, error.failure);
    throw error;
  }
}
