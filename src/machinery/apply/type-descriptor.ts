import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "../schema/schema.js";

/** How a field set treats a type. A value may have several shapes (free-form JSON); most types have one. */
export interface TypeDescriptor {
  readonly scalar?: "numeric" | "string" | "boolean" | "untyped" | undefined;
  readonly list?: ListDescriptor | undefined;
  readonly map?: MapDescriptor | undefined;
}

/** A list is one leaf unless its items are identified by keys or, without keys, by their value. */
export interface ListDescriptor {
  readonly associative: boolean;
  readonly keys: readonly string[];
  /** The defaults of keys that an item may leave out. */
  readonly keyDefaults: ReadonlyMap<string, unknown>;
  readonly items: TypeDescriptor;
}

/** A struct, a map, or an object of both. */
export interface MapDescriptor {
  /** True when the whole map is one leaf. */
  readonly atomic: boolean;
  /** Returns the type of a field; undefined for a field that is not declared. */
  field(name: string): TypeDescriptor | undefined;
  /** The type of the values of all other keys; undefined when other keys are not allowed. */
  readonly values: TypeDescriptor | undefined;
  /** True when there are declared fields. */
  readonly declares?: boolean;
}

/** Free-form JSON that is one leaf. */
export const UNTYPED_ATOMIC: TypeDescriptor = {
  scalar: "untyped",
  list: {
    associative: false,
    keys: [],
    keyDefaults: new Map(),
    get items() {
      return UNTYPED_ATOMIC;
    },
  },
  map: {
    atomic: true,
    field: () => undefined,
    get values() {
      return UNTYPED_ATOMIC;
    },
  },
};

/** Free-form JSON whose objects are owned key by key: unknown fields that are preserved, kinds without a schema. */
export const DEDUCED: TypeDescriptor = {
  scalar: "untyped",
  list: UNTYPED_ATOMIC.list,
  map: {
    atomic: false,
    field: () => undefined,
    get values() {
      return DEDUCED;
    },
  },
};

const described = new WeakMap<Schema, TypeDescriptor>();
const granular = new WeakMap<Schema, TypeDescriptor>();

/** Returns the descriptor of a schema. Each schema has one, whose parts are made on first use. */
export function describe(schema: Schema): TypeDescriptor {
  let type = described.get(schema);
  if (type === undefined) {
    type = make(schema);
    described.set(schema, type);
  }
  return type;
}

function make(schema: Schema): TypeDescriptor {
  switch (schema.type) {
    case "struct":
      return { map: new Struct(schema, schema.mapType === "atomic") };
    case "map":
      return { map: new Values(schema) };
    case "list":
      return { list: new List(schema, undefined) };
    case "scalar":
      return scalar(schema);
  }
}

const RAW_EXTENSION = "io.k8s.apimachinery.pkg.runtime.RawExtension";
const FIELDS_V1 = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1";

function scalar({ scalar: kind, definition }: ScalarSchema): TypeDescriptor {
  switch (kind) {
    case "string":
    case "bytes":
    case "duration":
      return STRING;
    case "bool":
      return BOOLEAN;
    case "int32":
    case "int64":
    case "float64":
      return NUMERIC;
    case "any":
      if (definition === RAW_EXTENSION) return UNTYPED_ATOMIC;
      return definition === FIELDS_V1 ? { map: DEDUCED.map } : DEDUCED;
    case "time":
    case "microTime":
    case "quantity":
    case "intOrString":
      return UNTYPED;
  }
}

const STRING: TypeDescriptor = { scalar: "string" };
const BOOLEAN: TypeDescriptor = { scalar: "boolean" };
const NUMERIC: TypeDescriptor = { scalar: "numeric" };
const UNTYPED: TypeDescriptor = { scalar: "untyped" };

class Struct implements MapDescriptor {
  readonly #fields = new Map<string, TypeDescriptor>();

  constructor(
    readonly schema: StructSchema,
    readonly atomic: boolean,
  ) {}

  /** A struct without fields allows any key, and so does one that preserves unknown fields. */
  get values(): TypeDescriptor | undefined {
    return !this.declares || this.schema.preservesUnknownFields === true ? DEDUCED : undefined;
  }

  get declares(): boolean {
    return this.schema.fields.length > 0;
  }

  field(name: string): TypeDescriptor | undefined {
    let type = this.#fields.get(name);
    if (type !== undefined) return type;
    const field = this.schema.byName.get(name);
    if (field === undefined) return undefined;
    type = fieldType(field);
    this.#fields.set(name, type);
    return type;
  }
}

function fieldType(field: Field): TypeDescriptor {
  const { schema } = field;
  if (schema.type === "list" && schema.listType === undefined && field.patchStrategy?.includes("merge")) {
    return { list: new List(schema, field.patchMergeKey === undefined ? [] : [field.patchMergeKey]) };
  }
  if (schema.type === "struct" && field.mapType === "granular" && schema.mapType === "atomic") {
    let type = granular.get(schema);
    if (type === undefined) {
      type = { map: new Struct(schema, false) };
      granular.set(schema, type);
    }
    return type;
  }
  if (schema.type === "struct" && field.mapType === "atomic" && schema.mapType !== "atomic") {
    return { map: new Struct(schema, true) };
  }
  return describe(schema);
}

class Values implements MapDescriptor {
  readonly atomic: boolean;

  constructor(private readonly schema: MapSchema) {
    this.atomic = schema.mapType === "atomic";
  }

  get values(): TypeDescriptor {
    return describe(this.schema.values);
  }

  field(): undefined {
    return undefined;
  }
}

class List implements ListDescriptor {
  readonly associative: boolean;
  readonly keys: readonly string[];
  #defaults: ReadonlyMap<string, unknown> | undefined;

  /** `mergeKeys` are those of a strategic merge patch; they count where the schema has no list type. */
  constructor(
    private readonly schema: ListSchema,
    mergeKeys: readonly string[] | undefined,
  ) {
    const { listType } = schema;
    this.associative = listType === "set" || listType === "map" || mergeKeys !== undefined;
    this.keys = listType === "map" ? (schema.listMapKeys ?? []) : (mergeKeys ?? []);
  }

  get items(): TypeDescriptor {
    return describe(this.schema.items);
  }

  get keyDefaults(): ReadonlyMap<string, unknown> {
    if (this.#defaults === undefined) {
      const { items } = this.schema;
      const defaults = new Map<string, unknown>();
      if (items.type === "struct") {
        for (const key of this.keys) {
          const value = items.byName.get(key)?.default;
          if (value !== undefined) defaults.set(key, value);
        }
      }
      this.#defaults = defaults;
    }
    return this.#defaults;
  }
}

export type Shape = "scalar" | "list" | "map";

/**
 * Returns the shape of the type that a value has. For null, and for a value of none of the shapes, the only shape of the type, or undefined
 * when it has several.
 */
export function shapeOf(type: TypeDescriptor, value: unknown): Shape | undefined {
  if (typeof value === "object") {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return "list";
    } else if (value !== null && type.map !== undefined) return "map";
  } else if (value !== undefined && type.scalar !== undefined) return "scalar";
  const several =
    (type.map !== undefined ? 1 : 0) + (type.list !== undefined ? 1 : 0) + (type.scalar !== undefined ? 1 : 0) > 1;
  return several ? undefined : firstShape(type);
}

/** Returns the shape that is used for a value of no certain shape. */
export function firstShape(type: TypeDescriptor): Shape {
  if (type.map !== undefined) return "map";
  return type.scalar !== undefined ? "scalar" : "list";
}
