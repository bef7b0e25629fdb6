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

/** The registration of a kind at a version. */
export interface KindRegistration {
  /** Called once, on first use of the kind. */
  readonly schema: () => StructSchema | undefined;
  /** The version that conversions go through and that is stored. Default: this version. */
  readonly hub?: GroupVersionKind | undefined;
  /** Sets the defaults that depend on other fields, in this version's shape, after the schema's static ones. */
  readonly applyDefaults?: Defaulter | undefined;
  /** Left out where this version has the hub's shape. */
  readonly conversion?: Conversion | undefined;
}
