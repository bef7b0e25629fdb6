import type { FieldDeclaration, TypeProvider } from "../types/provider.js";
import { DYN, objectType, STRING, type Type } from "../types/type.js";
import { ListValue } from "../values/list.js";
import { MapValue } from "../values/map.js";
import { spendSteps } from "../values/meter.js";
import { equalValues, ErrorValue, ObjectValue, typeOf, type Value } from "../values/value.js";
import { globalOverload, type Library } from "../functions/declaration.js";

const ROOT = "Object";
const PATCH = "JSONPatch";

/**
 * An object that an expression constructed: `Object{spec: Object.spec{replicas: 3}}`. Its type is named after its place, and it
 * may have any fields.
 */
export class MadeObject extends ObjectValue {
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = objectType(typeName);
    this.fields = fields;
  }

  /** Null where nothing was set, as in Kubernetes. */
  get(field: string): Value {
    const value = this.fields.get(field);
    return value === undefined ? null : value;
  }

  has(field: string): boolean {
    return this.fields.has(field);
  }

  override get isZero(): boolean {
    return this.fields.size === 0;
  }

  equals(other: Value): boolean {
    if (!(other instanceof MadeObject) || other.type.name !== this.type.name) return false;
    return (
      this.fields.size === other.fields.size && Array.from(this.fields.keys()).every((key) => this.#has(key, other))
    );
  }

  #has(key: string, other: MadeObject): boolean {
    spendSteps(1);
    return other.has(key) && equalValues(this.get(key), other.get(key));
  }
}

const PATCH_FIELDS: Readonly<Record<string, Type>> = { op: STRING, path: STRING, from: STRING, value: DYN };

/** An operation of a JSON patch that an expression constructed. Its operation and paths are validated when it is applied. */
export class MadePatch extends ObjectValue {
  readonly type: Type = PATCH_TYPE;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** undefined: none was given. */
  readonly value: Value | undefined;

  constructor(fields: ReadonlyMap<string, Value>) {
    super();
    const text = (name: string): string => (fields.get(name) as string | undefined) ?? "";
    this.op = text("op");
    this.path = text("path");
    this.from = text("from");
    this.value = fields.get("value");
  }

  get(field: string): Value {
    if (field === "value") return this.value === undefined ? null : this.value;
    return field === "op" || field === "path" || field === "from"
      ? this[field]
      : new ErrorValue(`unsupported indexer: ${field}`);
  }

  has(field: string): boolean {
    return field === "value" ? this.value !== undefined : this.get(field) !== "";
  }

  equals(other: Value): boolean {
    if (!(other instanceof MadePatch) || other.has("value") !== this.has("value")) return false;
    return ["op", "path", "from", "value"].every((field) => equalValues(this.get(field), other.get(field)));
  }
}

export const PATCH_TYPE = objectType(PATCH);
export const OBJECT_TYPE = objectType(ROOT);

function isObjectName(name: string): boolean {
  return name === ROOT || name.startsWith(`${ROOT}.`);
}

function makePatch(fields: ReadonlyMap<string, Value>): Value {
  for (const [name, value] of fields) {
    if (name !== "value" && typeof value !== "string") {
      return new ErrorValue(`unexpected type ${goTypeName(value)} for JSONPatchType '${name}' field`);
    }
  }
  return new MadePatch(fields);
}

/** Go's name of what a value is held as. */
function goTypeName(value: Value): string {
  const { kind } = typeOf(value);
  const names: Readonly<Record<string, string>> = {
    bytes: "[]uint8",
    double: "float64",
    int: "int64",
    list: "[]ref.Val",
    map: "map[ref.Val]ref.Val",
    uint: "uint64",
  };
  return names[kind] ?? kind;
}

/** The types that the expressions of mutating admission policies make objects of: `Object`, `Object.spec` and so on, and `JSONPatch`. */
export const MUTATION_TYPES: TypeProvider = {
  findType(name) {
    if (name === PATCH) return PATCH_TYPE;
    return isObjectName(name) ? objectType(name) : undefined;
  },
  findField(typeName, field): FieldDeclaration | undefined {
    if (isObjectName(typeName)) return { type: DYN };
    const type = typeName === PATCH && Object.hasOwn(PATCH_FIELDS, field) ? PATCH_FIELDS[field] : undefined;
    return type && { type };
  },
  construct: (typeName, fields) => (typeName === PATCH ? makePatch(fields) : new MadeObject(typeName, fields)),
};

/** Finds wrong type names in an object: the type of a field must be named after the object around it, a dot and the field's name. */
export function typeNameProblems(value: Value, expected: string = ROOT): string[] {
  if (value instanceof MadeObject) {
    const { name } = value.type;
    const own =
      name === expected
        ? []
        : [
            `unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`,
          ];
    return [
      ...own,
      ...Array.from(value.fields).flatMap(([key, field]) => typeNameProblems(field, `${expected}.${key}`)),
    ];
  }
  if (value instanceof ListValue) return value.toArray().flatMap((element) => typeNameProblems(element, expected));
  if (value instanceof MapValue) {
    return Array.from(value.keys()).flatMap((key) => typeNameProblems(value.get(key) as Value, expected));
  }
  return [];
}

function escapeKey(key: string): Value {
  spendSteps(key.length / 8);
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** `jsonpatch.escapeKey(key)`: the key as a part of a path. Only the expressions of mutating admission policies have it. Source: apiserver's cel/library. */
export const JSON_PATCH: Library = {
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [globalOverload("string_jsonpatch_escapeKey_string", [STRING], STRING, escapeKey)],
    },
  ],
};
