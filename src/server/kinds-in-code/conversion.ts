import type { FieldsOf } from "../../machinery/meta/received.js";
import { isFields } from "../../machinery/meta/access.js";
import type { ApiObject, KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { TypedStruct } from "../../machinery/schema/declarations.js";
import type { Conversion, ConversionScope } from "../../machinery/scheme/scheme.js";
import { setKey } from "../../machinery/wire/json/own-keys.js";

/** `T` with every field required, at every depth: an optional field is undefined instead. */
export type Complete<T> = T extends readonly (infer Item)[]
  ? Complete<Item>[]
  : T extends object
    ? { [K in keyof Required<T>]: Complete<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** The functions of {@link conversion}. What they return has every field of its version, so that a forgotten one does not compile. */
export interface ConversionFunctions<Own, Hub> {
  /** Default metadata of the result: that of the object. */
  toHub(object: Complete<Own> & Named, scope: ConversionScope): Complete<Hub> & Named;
  fromHub(object: Complete<Hub> & Named, scope: ConversionScope): Complete<Own> & Named;
}

interface Named {
  metadata?: ObjectMeta;
}

/**
 * Makes the conversion of a version to the hub and back: `own` and `hub` are their schemas. Fields that a function sets to
 * undefined are omitted. The functions must not change their arguments.
 */
export function conversion<Own, Hub>(
  _own: TypedStruct<Own>,
  _hub: TypedStruct<Hub>,
  { toHub, fromHub }: ConversionFunctions<Own, Hub>,
): Conversion {
  return {
    toHub: (object, scope) => finished(toHub(object as Complete<Own> & Named, scope), object),
    fromHub: (object, scope) => finished(fromHub(object as Complete<Hub> & Named, scope), object),
  };
}

function finished(result: object & Named, { metadata }: KubeObject): KubeObject {
  const given = result.metadata ?? metadata;
  return {
    ...(given && ({ metadata: given } satisfies FieldsOf<ApiObject>)),
    ...(withoutUndefined(result) as KubeObject),
  };
}

/** The value without fields that are undefined; what has none is shared. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, held] of Object.entries(value))
    if (held !== undefined) setKey(result, name, withoutUndefined(held));
  return result;
}
