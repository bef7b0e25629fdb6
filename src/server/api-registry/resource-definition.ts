import type { BatchConversion, Conversion, Defaulter } from "../../machinery/scheme/scheme.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";

/**
 * A resource that is installed into a running server: what the API facts are to a built-in one, beside the same record. The
 * record's fields say how its objects behave and where they are kept.
 */
export interface ResourceDefinition extends ResourceRecord {
  readonly kind: string;
  /** Default: the kind with "List" behind it. */
  readonly listKind?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly namespaced: boolean;
  /** Described by a CustomResourceDefinition: discovery shows it in apiextensions' form. Default: false. */
  readonly isCustom?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Preferred first. */
  readonly versions: readonly ResourceVersion[];
  /** The version that objects are stored in and that the record's hooks see. Default: the first. */
  readonly storageVersion?: string;
}

export interface ResourceVersion {
  /** "v1", "v1beta1". */
  readonly version: string;
  /** The fields of an object beside apiVersion, kind and metadata: spec, status, data. */
  readonly schema: StructSchema;
  /** False for a version that objects may be stored in and that no client can ask for. Default true. */
  readonly served?: boolean;
  /** "status", "scale", and what the record has. Default: none. */
  readonly subresources?: readonly SubresourceDefinition[];
  /** The verbs that are served. Default: all that the storage can do. */
  readonly verbs?: readonly string[];
  /**
   * To and from the storage version, which has none. Needed where the schema is another one than that version's. One that asks
   * another process converts many objects at a time.
   */
  readonly conversion?: Conversion | BatchConversion | undefined;
  /** The `Warning:` of every answer of a deprecated version. */
  readonly deprecationWarning?: string | undefined;
  /** Sets the defaults that depend on other fields, after the schema's own. */
  readonly applyDefaults?: Defaulter;
}

export interface SubresourceDefinition {
  readonly name: string;
  /** What is read and written. Default: autoscaling/v1 Scale for "scale", else the resource's own kind. */
  readonly kind?: GroupVersionKind;
  /** Default: get, patch and update. */
  readonly verbs?: readonly string[];
}
