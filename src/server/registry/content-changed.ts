import { Pace } from "../../base/pace.js";
import type { Steps } from "../../base/steps.js";
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
  // Encoding it alone mostly answers the question, and takes no time.
  return (
    first !== undefined && (encodesDifferently(config, draft, first) || encodesDifferently(config, draft, contents))
  );
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

/** The first field that differs, in objects without all others; undefined for equal objects. */
function* firstDifferenceSteps(before: JsonObject, after: JsonObject, pace: Pace): Steps<Pair<JsonObject> | undefined> {
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
    const pair = yield* differenceSteps(was as JsonValue, is, pace);
    if (pair !== undefined) return [{ [key]: pair[0] }, { [key]: pair[1] }];
  }
  const keys = Object.keys(before);
  if (keys.length === inBoth) return undefined;
  for (const key of keys) if (!Object.hasOwn(after, key)) return [{ [key]: before[key] as JsonValue }, {}];
  return undefined;
}

/** What differs of two values; undefined for equal ones. */
function* differenceSteps(before: JsonValue, after: JsonValue, pace: Pace): Steps<Pair<JsonValue> | undefined> {
  if (isJsonObject(before) && isJsonObject(after)) return yield* firstDifferenceSteps(before, after, pace);
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) {
    return deepEqual(before, after) ? undefined : [before, after];
  }
  for (const [index, is] of after.entries()) {
    if (pace.isDue()) yield;
    const was = before[index] as JsonValue;
    const pair = was === is ? undefined : yield* differenceSteps(was, is, pace);
    if (pair !== undefined) return [[pair[0]], [pair[1]]];
  }
  return undefined;
}
