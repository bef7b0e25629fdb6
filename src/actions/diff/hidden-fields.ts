import { LAST_APPLIED } from "../apply/last-applied.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";

/**
 * Returns the object without the fields that no manifest sets: status and, in metadata, uid, versions, times, managedFields and
 * the annotation of kubectl apply.
 */
export function withoutServerFields(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  if (object.metadata === undefined) return rest;
  const {
    uid: _uid,
    resourceVersion: _resourceVersion,
    generation: _generation,
    creationTimestamp: _creationTimestamp,
    managedFields: _managedFields,
    annotations: { [LAST_APPLIED]: _applied, ...annotations } = {},
    ...metadata
  } = object.metadata;
  return { ...rest, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } };
}

const MASK = "***";
const BEFORE = "*** (before)";
const AFTER = "*** (after)";

export interface Versions {
  /** undefined: the object does not exist yet. */
  readonly from: KubeObject | undefined;
  readonly to: KubeObject;
}

/** Copies in which the values of `data` are masked; of one that differs, one can still see that it does. */
export function maskSecret({ from, to }: Versions): Versions {
  const before = dataOf(from);
  const after = dataOf(to);
  const maskOf = (key: string, changed: string): string => {
    const inBoth =
      before !== undefined && after !== undefined && Object.hasOwn(before, key) && Object.hasOwn(after, key);
    return inBoth && before[key] !== after[key] ? changed : MASK;
  };
  return {
    from: from && masked(from, before, (key) => maskOf(key, BEFORE)),
    to: masked(to, after, (key) => maskOf(key, AFTER)),
  };
}

export const isSecret = ({ apiVersion = "", kind }: KubeObject): boolean =>
  kind === "Secret" && apiVersion.split("/").at(-1) === "v1";

function dataOf(object: KubeObject | undefined): JsonObject | undefined {
  const data = object?.["data"] as JsonObject | undefined;
  return data !== undefined && isJsonObject(data) ? data : undefined;
}

function masked(object: KubeObject, data: JsonObject | undefined, mask: (key: string) => string): KubeObject {
  if (data === undefined) return object;
  return { ...object, data: Object.fromEntries(Object.keys(data).map((key) => [key, mask(key)])) };
}
