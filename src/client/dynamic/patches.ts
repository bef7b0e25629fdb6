import type { ApiObject } from "../../machinery/meta/object.js";

/*
 * The types of patches, by the type of the object that they change. Objects without declared fields (KubeObject, values of
 * `unknown`) take any patch. A field that is undefined is not sent.
 */

/**
 * The fields that one manager sets on an object by server-side apply: any part of it, and its name. client-go has a type
 * ...ApplyConfiguration for each kind. Elements of lists are partial, too.
 */
export type ApplyConfiguration<T extends ApiObject> = string extends keyof T
  ? T
  : PartOf<T> & { metadata: { name: string } };

/** Any fields of a value, at every depth. */
export type PartOf<T> = T extends Scalar
  ? T
  : T extends readonly (infer Element)[]
    ? PartOf<Element>[]
    : T extends object
      ? { [Field in keyof T]?: PartOf<T[Field]> | undefined }
      : T;

/** A JSON merge patch (RFC 7386): null removes a field, and a list replaces the whole list. */
export type MergePatch<T> = T extends Scalar | readonly unknown[]
  ? T
  : T extends object
    ? { [Field in keyof T]?: MergePatch<T[Field]> | null | undefined }
    : T;

/**
 * A strategic merge patch: null removes a field. Lists with a merge key are merged by it, so that an element needs only the key
 * and the changed fields. Directives are those of Kubernetes: `$patch`, `$retainKeys`, `$setElementOrder/FIELD` and
 * `$deleteFromPrimitiveList/FIELD`.
 */
export type StrategicPatch<T> = T extends Scalar
  ? T
  : T extends readonly (infer Element)[]
    ? StrategicPatch<Element>[]
    : T extends object
      ? { [Field in keyof T]?: StrategicPatch<T[Field]> | null | undefined } & StrategicDirectives<T>
      : T;

/** Those of an object with declared fields. A map from strings, such as labels, has none but values. */
type StrategicDirectives<T> = string extends keyof T
  ? unknown
  : { $patch?: "delete" | "merge" | "replace"; $retainKeys?: string[] } & {
      [Field in ListField<T> as `$setElementOrder/${Field}` | `$deleteFromPrimitiveList/${Field}`]?: readonly unknown[];
    };

type ListField<T> = {
  [Field in keyof T]-?: NonNullable<T[Field]> extends readonly unknown[] ? Field : never;
}[keyof T] &
  string;

/** One operation of a JSON patch (RFC 6902). `path` and `from` are JSON pointers: "/metadata/labels/app.kubernetes.io~1name". */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "copy" | "move"; readonly from: string; readonly path: string };

/** The type of the patch that {@link ResourceClient.patch} takes, by the type of patch. */
export type PatchOf<T extends ApiObject, Type extends PatchType> = {
  json: readonly JsonPatchOperation[];
  merge: MergePatch<T>;
  strategic: StrategicPatch<T>;
  apply: PartOf<T>;
}[Type];

/** A text too that is more than its known values, `"Ready" | (string & {})`, which counts as an object. */
type Scalar = string | number | bigint | boolean | null | undefined;

/** The format of a patch. "apply" is server-side apply and needs a field manager. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

export const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
