import type { FieldError } from "../../machinery/errors/field-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { CelRule, ValueOf } from "../../machinery/schema/declarations.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { MetaDeclaration } from "../../machinery/structural/from-schema.js";
import type { BatchConversion, Conversion, Defaulter } from "../../machinery/scheme/scheme.js";
import type { ResourceDefinition } from "../api-registry/resource-definition.js";
import type { StorageRecord } from "../endpoints/resource-record.js";
import type { Strategy, StrategyContext } from "../registry/strategy.js";
import type { StandardSchema } from "./standard-schema.js";
import type { TableCell } from "../registry/table-columns.js";

/** A rule in CEL at a place of the object. */
export interface KindRule extends CelRule {
  /** Where `self` is: "spec", "spec.ports[*]", "spec.limits[*]" for the values of a map. Default: the object itself. */
  readonly at?: string;
}

/** A column of the table that kubectl get prints, behind the name. */
export interface KindColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** Where the value is (".spec.size"). Either it or `cell` is given. */
  readonly jsonPath?: string;
  /** Makes the cell; `now` is milliseconds since the epoch. A CustomResourceDefinition cannot say it. */
  readonly cell?: (object: KubeObject, now: number) => TableCell;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, 1 and above only with -o wide. Default 0. */
  readonly priority?: number;
}

/** The paths of the scale subresource's fields, as a CustomResourceDefinition states them. */
export interface KindScale {
  /** ".spec.replicas" */
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A version of a kind whose schema is not all of it. */
export interface VersionDeclaration<S extends StructSchema = StructSchema> {
  /** The fields beside apiVersion, kind and metadata. */
  readonly schema: S;
  readonly rules?: readonly KindRule[];
  /** What OpenAPI says of apiVersion, kind and metadata beside their types: `{ kind: { description: "..." } }`. */
  readonly meta?: MetaDeclaration;
  /** Default: the kind's. */
  readonly columns?: readonly KindColumn[];
  /** Default: the kind's. */
  readonly status?: boolean;
  /** Default: the kind's. */
  readonly scale?: KindScale;
  /** False for a version that objects may be stored in and that no client can ask for. Default true. */
  readonly served?: boolean;
  /** Answers carry a `Warning:`, which the text replaces. */
  readonly deprecated?: boolean | string;
  /** To and from the hub. Needed where the schema is not the hub's. */
  readonly conversion?: Conversion | BatchConversion;
  /** Sets defaults that depend on other fields, after the static ones, in place. */
  readonly applyDefaults?: Defaulter;
  /** The paths that field selectors may name: "spec.colour". */
  readonly selectableFields?: readonly string[];
}

/** The options that all versions of a kind share. `Hub` is the type of the objects that the functions get. */
export interface KindOptions<Hub = KubeObject> {
  /** Default: the kind in lower case with "s" behind it, or as English has it: "boxes", "policies". */
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  /** Default true. */
  readonly namespaced?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: where the schema of a version has the field status, it is a subresource there. */
  readonly status?: boolean;
  readonly scale?: KindScale;
  /** Default: the age. */
  readonly columns?: readonly KindColumn[];
  /**
   * The problems of an object in the hub's form, for creates and updates; they come behind those of schema and rules. `old` is undefined
   * for a create.
   */
  readonly validate?: (object: Hub, old: Hub | undefined, context: StrategyContext) => readonly FieldError[];
  /** Other hooks. */
  readonly strategy?: Omit<Strategy, "validate" | "validateUpdate" | "columns" | "columnsAt" | "scale">;
  readonly storage?: StorageRecord;
}

/** One version of a kind with all its defaults. */
export interface DeclaredVersion {
  readonly name: string;
  readonly served: boolean;
  /** The text of the `Warning:` header. */
  readonly deprecationWarning?: string | undefined;
  /** The text is the one that kube-apiserver has for a version that is deprecated without one. */
  readonly hasUsualWarning?: boolean | undefined;
  /** What the server reads and writes by. */
  readonly content: StructSchema;
  /** As a CustomResourceDefinition has it. */
  readonly openApi: JsonObject;
  readonly columns: readonly KindColumn[];
  readonly hasStatus: boolean;
  readonly scale?: KindScale | undefined;
  readonly selectableFields: readonly string[];
  readonly conversion?: Conversion | BatchConversion | undefined;
  readonly applyDefaults?: Defaulter | undefined;
}

/** A kind, completed. */
export interface KindDeclaration {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly versions: readonly DeclaredVersion[];
  readonly storageVersion: string;
  /** The internal version, where there is one. */
  readonly hub?: StructSchema | undefined;
}

declare const OBJECTS: unique symbol;

/** A kind in code: a definition that `startServer({ resources })` takes. `Objects` has the type of an object of each version. */
export interface Kind<Objects = Readonly<Record<string, KubeObject>>> extends ResourceDefinition {
  readonly declaration: KindDeclaration;
  /** Judges objects without a server, for libraries that take a Standard Schema. */
  readonly "~standard": StandardSchema<unknown>;
  readonly [OBJECTS]?: Objects;
}

/** A kind in code, which tells a library that takes a Standard Schema the type of its objects. */
export type TypedKind<Objects> = Kind<Objects> & { readonly "~standard": StandardSchema<Objects[keyof Objects]> };

/** The TypeScript type of a kind's objects in a version: `type Widget = ObjectOf<typeof widgets, "v1">`. */
export type ObjectOf<K extends Kind<unknown>, Version extends keyof NonNullable<K[typeof OBJECTS]>> = NonNullable<
  K[typeof OBJECTS]
>[Version];

/**
 * The kinds of a declaration as `ApiKinds` lists them, so that `client.of` knows their types:
 * `declare module "kubets" { interface ApiKinds extends ApiKindsOf<typeof widgets> {} }`.
 */
export type ApiKindsOf<K extends Kind<unknown>> = {
  readonly [Version in keyof NonNullable<K[typeof OBJECTS]> as NonNullable<K[typeof OBJECTS]>[Version] extends {
    apiVersion?: infer V extends string;
    kind?: infer Name extends string;
  }
    ? `${V}/${Name}`
    : never]: NonNullable<K[typeof OBJECTS]>[Version];
};

/** An object of a kind in a version. */
export type ObjectIn<Group extends string, Version extends string, Name extends string, D> = {
  apiVersion?: Group extends "" ? Version : `${Group}/${Version}`;
  kind?: Name;
  metadata?: ObjectMeta;
} & ValueOf<D>;
