import type { FieldError } from "../../../machinery/errors/field-error.js";
import type { Fields } from "../../../machinery/meta/access.js";
import type { NameRule } from "../../../machinery/validation/names.js";

/** The changes that the mark `k8s:update` forbids for a field. */
export type UpdateRule = "NoSet" | "NoUnset" | "NoModify" | "NoAddItem" | "NoRemoveItem";

/**
 * The rules that the markers of k8s.io/api (`+k8s:required`, `+k8s:maxItems=8`) declare for a field, from which kube-apiserver
 * generates validation code. The names are those of the markers.
 */
export interface FieldRules<Value = unknown> {
  /** The field has a value: a text that is not empty, a number that is not 0 where it is no `pointer`. */
  readonly required?: true;
  /** The field is a pointer: its zero value is a value. */
  readonly pointer?: true;
  readonly immutable?: true;
  readonly update?: readonly UpdateRule[];
  /** The number may not become less. */
  readonly monotonic?: true;
  readonly format?: NameRule;
  readonly minimum?: number;
  readonly maximum?: number;
  /** In characters. */
  readonly maxLength?: number;
  readonly maxBytes?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  /** The field is forbidden while this feature gate is off. */
  readonly gate?: string;
  /** A rule in code: `k8s:customValidation`. */
  readonly custom?: (value: unknown, path: string) => readonly FieldError[];
  /** The type of the struct. */
  readonly struct?: TypeRules<Struct<Value>>;
  /** The type of the items of a list. A type that contains itself has a getter here. */
  readonly items?: TypeRules<Item<Value>>;
  /** The fields that name an item of a list, `k8s:listMapKey`: an update compares the items whose fields agree. Items of an atomic list have none. */
  readonly keys?: readonly string[];
  /** The rules of the values of a list of plain values, each of which is there once: `k8s:listType=set`. */
  readonly values?: FieldRules;
}

/** The rules of a struct of type `T`, by its fields in the order in which they are declared. */
export interface TypeRules<T extends object = Fields> {
  /** Fields of which exactly one is set. */
  readonly union?: readonly (keyof T & string)[];
  readonly fields: FieldsRules<T>;
}

export type FieldsRules<T extends object> = { readonly [Field in keyof T]?: FieldRules<T[Field]> };

type Struct<Value> = unknown extends Value
  ? Fields
  : NonNullable<Value> extends readonly unknown[]
    ? Fields
    : NonNullable<Value> extends infer One extends object
      ? One
      : Fields;
type Item<Value> = NonNullable<Value> extends readonly (infer One)[] ? Struct<One> : Fields;
