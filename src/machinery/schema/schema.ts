import type { JsonObject } from "../meta/json.js";

/**
 * The shape of an API type: what strict decoding, pruning, defaulting, canonical encoding, patches, OpenAPI and explain
 * all read. Built from the facts in src/api; a CRD's schema becomes one too. Immutable; may be recursive.
 */
export type Schema = StructSchema | MapSchema | ListSchema | ScalarSchema;

interface Described {
  /**
   * Of a kind in code: what OpenAPI says of the values beside their type, such as a description, a minimum, a pattern and
   * x-kubernetes-validations.
   */
  readonly openApi?: JsonObject | undefined;
}

export interface StructSchema extends Described {
  readonly type: "struct";
  /** Go's type name ("DeploymentSpec"), as decoding errors show it. */
  readonly name: string;
  /** The OpenAPI definition's name ("io.k8s.api.apps.v1.DeploymentSpec"); "" for a struct that is described where it is used. */
  readonly definition: string;
  /** In the order Go encodes them; inline structs are already flattened. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** As Go's reflection prints it ("v1.DeploymentSpec"); the name when absent. */
  readonly goType?: string | undefined;
  readonly mapType?: "atomic" | "granular" | undefined;
  /**
   * Fields that are not declared are kept as they are (x-kubernetes-preserve-unknown-fields). Those that are declared are read
   * as their schemas say.
   */
  readonly preservesUnknownFields?: boolean | undefined;
  /** It is an object of any kind (x-kubernetes-embedded-resource): apiVersion, kind and metadata are among its fields. */
  readonly embeddedResource?: boolean | undefined;
  /**
   * Of a custom resource: called at the end of decoding with the new object, which it may change. Removes what the resource's own schema
   * does not know, and returns the strict errors of that (`unknown field "spec.foo"`). Throws for what cannot be read.
   */
  readonly conform?: ((object: object) => readonly string[]) | undefined;
  /**
   * Of a custom resource: its own schema as OpenAPI publishes it, without the apiVersion, kind and metadata of the resource itself.
   * Answers undefined where OpenAPI may say of the resource only that it is an object.
   */
  readonly published?: ((form: PublishedForm) => JsonObject | undefined) | undefined;
  /** Of a custom resource: the paths that field selectors may name beside those of metadata ("spec.colour"). */
  readonly selectableFields?: readonly string[] | undefined;
  /**
   * Of a custom resource: its JSON is that of Go's Unstructured. All keys stand in byte order, as its fields do here, and each item of a list
   * names its kind and apiVersion.
   */
  readonly isUnstructured?: boolean | undefined;
}

/** The dialect of OpenAPI in which a schema is published. */
export interface PublishedForm {
  /** Version 3, which says allOf, oneOf and nullable; version 2 can not. */
  readonly isV3: boolean;
  /** The schemas of apiVersion, kind and metadata of a resource, for those that are embedded. */
  readonly meta: JsonObject;
}

export interface Field {
  /** The JSON name. */
  readonly name: string;
  readonly schema: Schema;
  /** Left out when it holds its zero value (Go's omitempty: for a struct that is not a pointer it does nothing). */
  readonly omitEmpty: boolean;
  /** Left out when it is the zero struct (Go's omitzero). */
  readonly omitZero: boolean;
  readonly pointer: boolean;
  /**
   * Its value is read and written as the JSON it is, of any type: what a custom resource holds, which the resource's own schema prunes,
   * defaults and validates. Apply, patches and OpenAPI go by `schema` all the same.
   */
  readonly asIs?: boolean | undefined;
  readonly required: boolean;
  /** The static default as JSON, when there is one. */
  readonly default?: unknown;
  readonly protobuf?: number | undefined;
  /** For a field of an inlined struct: the numbers of the messages it lies in, outermost first. */
  readonly protobufInline?: readonly number[] | undefined;
  /** For a field of an inlined struct: the Go names of the fields it lies in ("VolumeSource"), as errors show them. */
  readonly inlinedIn?: string | undefined;
  readonly patchStrategy?: readonly PatchStrategy[] | undefined;
  readonly patchMergeKey?: string | undefined;
  /** For a struct that this field owns otherwise than its type says. */
  readonly mapType?: "atomic" | "granular" | undefined;
}

export type PatchStrategy = "merge" | "replace" | "retainKeys";

export interface MapSchema extends Described {
  readonly type: "map";
  readonly values: Schema;
  /** When it is a named type ("v1.ResourceList"). */
  readonly goType?: string | undefined;
  readonly mapType?: "atomic" | "granular" | undefined;
}

export interface ListSchema extends Described {
  readonly type: "list";
  readonly items: Schema;
  /** When it is a named type ("v1.ExtraValue"). */
  readonly goType?: string | undefined;
  readonly listType?: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
}

export interface ScalarSchema extends Described {
  readonly type: "scalar";
  /** `bytes` is base64 text; `any` is free-form JSON (RawExtension, FieldsV1, JSON). */
  readonly scalar:
    | "string"
    | "bool"
    | "int32"
    | "int64"
    | "float64"
    | "bytes"
    | "time"
    | "microTime"
    | "duration"
    | "quantity"
    | "intOrString"
    | "any";
  readonly enum?: readonly string[] | undefined;
  /** OpenAPI describes it where it is used and not under the name of Go's type: x-kubernetes-int-or-string. */
  readonly inPlace?: boolean | undefined;
  /** OpenAPI states no format: a number of a CustomResourceDefinition that has none. */
  readonly hasNoFormat?: boolean | undefined;
  /** When it is a named type ("v1.Protocol"), with its full name ("io.k8s.api.core.v1.Protocol"). */
  readonly goType?: string | undefined;
  readonly definition?: string | undefined;
}
