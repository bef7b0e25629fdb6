import type { GroupVersionKind } from "../meta/gvk.js";
import type { KubeObject } from "../meta/object.js";
import type { StructSchema } from "../schema/schema.js";

/** Changes an object in place, which is the caller's own; idempotent. */
export type Defaulter = (draft: KubeObject) => void;

/**
 * Between a version and its hub. Neither direction changes its argument; what is equal may be shared with it. apiVersion
 * and kind are set by the scheme. What the target has no field for goes to an annotation where Kubernetes does that, and comes back from it.
 */
export interface Conversion {
  readonly toHub: (object: KubeObject) => KubeObject;
  readonly fromHub: (object: KubeObject) => KubeObject;
}

/** What a scheme is told of a kind at a version. */
export interface KindRegistration {
  /** Asked once, when it is first needed. */
  readonly schema: () => StructSchema | undefined;
  /** The version objects are converted by way of, and stored in. Default: this one. */
  readonly hub?: GroupVersionKind | undefined;
  /** Defaults that depend on other fields, in this version's shape; run after those of the schema. */
  readonly applyDefaults?: Defaulter | undefined;
  /** Left out where the shape is the hub's. */
  readonly conversion?: Conversion | undefined;
}
