import { errorMessage } from "../../../base/text/error-message.js";
import { unclassified } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ConversionCaller, ConversionDirection, VersionedKind } from "../../../machinery/scheme/scheme.js";

/** A value, or a promise of it for a kind that a webhook converts. */
export type NowOrLater<T> = T | Promise<T>;

/** Calls `next` with the value: synchronously, unless the value is a promise. */
export function andThen<T, R>(value: NowOrLater<T>, next: (value: T) => NowOrLater<R>): NowOrLater<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Converts one object. Returns a promise only for a kind that converts later; see {@link convertAll} for its failures. */
export function convertOne(
  kind: VersionedKind,
  object: KubeObject,
  direction: ConversionDirection,
  caller?: ConversionCaller,
): NowOrLater<KubeObject> {
  return kind.convertsLater ? onlyOf(convertAll(kind, [object], direction, caller)) : kind[direction](object);
}

/** Converts objects of a kind that a webhook converts. Rejects with a 500 StatusError that has the conversion's own reason. */
export async function convertAll(
  kind: VersionedKind,
  objects: readonly KubeObject[],
  direction: ConversionDirection,
  caller?: ConversionCaller,
): Promise<readonly KubeObject[]> {
  try {
    return await kind.convertMany(objects, direction, caller);
  } catch (error) {
    throw unclassified(errorMessage(error));
  }
}

async function onlyOf(converted: Promise<readonly KubeObject[]>): Promise<KubeObject> {
  const [only] = await converted;
  if (only === undefined) throw new Error("a conversion of one object has no result");
  return only;
}
