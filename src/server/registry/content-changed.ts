import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { StoreConfig } from "./store-config.js";

const NOT_CONTENT_WITHOUT_STATUS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const NOT_CONTENT: ReadonlySet<string> = new Set([...NOT_CONTENT_WITHOUT_STATUS, "status"]);

/** Two objects, or what differs between them. */
type Pair<T extends JsonValue> = readonly [before: T, after: T];

/**
 * True when anything but metadata differs, and but the status where it is a subresource; such a change increments
 * metadata.generation. A difference counts if it shows in the bytes: an empty struct that one object leaves out does not. In steps.
 */
export function* contentChangedSteps(config: StoreConfig, draft: KubeObject, old: KubeObject): Steps<boolean> {
  const ignored = config.hasStatus ? NOT_CONTENT : NOT_CONTENT_WITHOUT_STATUS;
  const contents = [contentOf(old, ignored), contentOf(draft, ignored)] as const;
  const first = yield* firstDifferenceSteps(...contents, new Pace());
  if (first === undefined) return false;
  if (first === SHOWS) return true;
  return encodesDifferently(config, draft, first) || encodesDifferently(config, draft, contents);
}

function contentOf(object: KubeObject, ignored: ReadonlySet<string>): JsonObject {
  const content: JsonObject = {};
  for (const name of Object.keys(object)) if (!ignored.has(name)) content[name] = object[name] as JsonValue;
  return content;
}

function encodesDifferently(
  { encode }: StoreConfig,
  { apiVersion, kind }: KubeObject,
  pair: Pair<JsonObject>,
): boolean {
  const [before, after] = pair.map((content) => encode({ ...content, apiVersion, kind, metadata: {} } as KubeObject));
  return Buffer.compare(before as Uint8Array, after as Uint8Array) !== 0;
}

/** In place of a difference of which it is known that it shows in the bytes. */
const SHOWS = "shows";
type Difference<T extends JsonValue> = Pair<T> | typeof SHOWS | undefined;

/** The first field that differs, in objects without all others; undefined for equal objects. */
function* firstDifferenceSteps(before: JsonObject, after: JsonObject, pace: Pace): Steps<Difference<JsonObject>> {
  let inBoth = 0;
  for (const key of Object.keys(after)) {
    if (pace.isDue()) yield;
    const [was, is] = [before[key], after[key] as JsonValue];
    if (was === is && is !== undefined) {
      inBoth += 1;
      continue;
    }
    if (!Object.hasOwn(before, key)) return [{}, { [key]: is }];
    inBoth += 1;
    const found =
      isScalar(was) && isScalar(is) ? ofScalars(was, is) : yield* differenceSteps(was as JsonValue, is, pace);
    if (found === SHOWS) return SHOWS;
    if (found !== undefined) return [{ [key]: found[0] }, { [key]: found[1] }];
  }
  const keys = Object.keys(before);
  if (keys.length === inBoth) return undefined;
  for (const key of keys) if (!Object.hasOwn(after, key)) return [{ [key]: before[key] as JsonValue }, {}];
  return undefined;
}

/** What differs of two values; undefined for equal ones. */
function* differenceSteps(before: JsonValue, after: JsonValue, pace: Pace): Steps<Difference<JsonValue>> {
  if (isJsonObject(before) && isJsonObject(after)) return yield* firstDifferenceSteps(before, after, pace);
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) {
    return deepEqual(before, after) ? undefined : [before, after];
  }
  for (const [index, is] of after.entries()) {
    if (pace.isDue()) yield;
    const was = before[index] as JsonValue;
    if (was === is) continue;
    const found = isScalar(was) && isScalar(is) ? ofScalars(was, is) : yield* differenceSteps(was, is, pace);
    if (found === SHOWS) return SHOWS;
    if (found !== undefined) return [[found[0]], [found[1]]];
  }
  return undefined;
}

type Scalar = string | number | bigint | boolean;

const isScalar = (value: JsonValue | undefined): value is Scalar => value !== undefined && typeof value !== "object";

/** Different scalars show in the bytes, but for halves of surrogate pairs, which are all written alike. */
const ofScalars = (before: Scalar, after: Scalar): typeof SHOWS | undefined =>
  encodeJson(before) === encodeJson(after) ? undefined : SHOWS;
