import type { GroupVersionKind } from "../meta/gvk.js";
import type { KubeObject } from "../meta/object.js";
import type { StructSchema } from "../schema/schema.js";

/** Sets defaults in place. Idempotent; the caller owns the object. `now` is milliseconds since the epoch. */
export type Defaulter = (draft: KubeObject, now: number) => void;

/**
 * Converts between a version and its hub. Neither direction changes its argument; the result may share parts with it. The
 * scheme sets apiVersion and kind. Where Kubernetes keeps a field that the target lacks in an annotation, so does the
 * conversion, and it restores the field from there.
 */
export interface Conversion {
  readonly toHub: (object: KubeObject) => KubeObject;
  readonly fromHub: (object: KubeObject) => KubeObject;
}

/** Which way a conversion goes: to the version that is stored, or from it. */
export type ConversionDirection = "toHub" | "fromHub";

/** What a conversion is for. It may end when the signal aborts: nobody waits for it then. */
export interface ConversionCaller {
  readonly signal: AbortSignal;
}

/**
 * Converts many objects of a version to its hub or back, at once or later: by a request to another process. The objects are not
 * changed; the answer has as many, in their order. What it throws or rejects with is the answer to the request that
 * needed the conversion.
 */
export interface BatchConversion {
  readonly convertMany: (
    objects: readonly KubeObject[],
    direction: ConversionDirection,
    caller?: ConversionCaller,
  ) => readonly KubeObject[] | Promise<readonly KubeObject[]>;
}

/** The registration of a kind at a version. */
export interface KindRegistration {
  /** Called once, on first use of the kind. */
  readonly schema: () => StructSchema | undefined;
  /** The version that conversions go through and that is stored. Default: this version. */
  readonly hub?: GroupVersionKind | undefined;
  /** Sets the defaults that depend on other fields, in this version's shape, after the schema's static ones. */
  readonly applyDefaults?: Defaulter | undefined;
  /** Left out where this version has the hub's shape. */
  readonly conversion?: Conversion | BatchConversion | undefined;
}
