/** The kind of a type. `opaque` is a type known by its name and parameters only, such as `optional_type`. */
export type Kind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "typeParam"
  | "uint";

/** A type of CEL. It is also a value: `type(1) == int`. */
export class Type {
  readonly kind: Kind;
  /** The name at runtime: what `type(x)` prints. */
  readonly name: string;
  readonly parameters: readonly Type[];
  /** A wrapper type of protocol buffers: its values may be null. */
  readonly nullable: boolean;
  #text: string | undefined;

  constructor(kind: Kind, name: string, parameters: readonly Type[] = [], nullable = false) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.nullable = nullable;
  }

  /** As cel-go writes it in messages: `list(string)`, `map(string, dyn)`, `timestamp`. */
  toString(): string {
    this.#text ??= formatType(this);
    return this.#text;
  }

  /** The i-th parameter; `dyn` where the type names none. */
  parameter(index: number): Type {
    return this.parameters[index] ?? DYN;
  }

  /** Whether both are the same type, parameters and nullability included. */
  is(other: Type): boolean {
    if (this === other) return true;
    if (this.kind !== other.kind || this.name !== other.name || this.nullable !== other.nullable) return false;
    if (this.parameters.length !== other.parameters.length) return false;
    return this.parameters.every((parameter, index) => parameter.is(other.parameter(index)));
  }

  /** Whether `this` is `optional_type(...)`. */
  get isOptional(): boolean {
    return this.kind === "opaque" && this.name === OPTIONAL_NAME;
  }
}

const OPTIONAL_NAME = "optional_type";

export const ANY = new Type("any", "google.protobuf.Any");
export const BOOL = new Type("bool", "bool");
export const BYTES = new Type("bytes", "bytes");
export const DOUBLE = new Type("double", "double");
export const DURATION = new Type("duration", "google.protobuf.Duration");
export const DYN = new Type("dyn", "dyn");
export const ERROR = new Type("error", "error");
export const INT = new Type("int", "int");
export const NULL = new Type("null", "null_type");
export const STRING = new Type("string", "string");
export const TIMESTAMP = new Type("timestamp", "google.protobuf.Timestamp");
export const TYPE = new Type("type", "type");
export const UINT = new Type("uint", "uint");

export function listType(element: Type): Type {
  return new Type("list", "list", [element]);
}

export function mapType(key: Type, value: Type): Type {
  return new Type("map", "map", [key, value]);
}

/** Makes the type of a type: `type(int)`. */
export function typeType(of: Type): Type {
  return new Type("type", "type", [of]);
}

export function optionalType(value: Type): Type {
  return new Type("opaque", OPTIONAL_NAME, [value]);
}

/** Makes a type that only its name identifies, for values that only functions read (an IP address, a quantity). */
export function opaqueType(name: string, ...parameters: readonly Type[]): Type {
  return new Type("opaque", name, parameters);
}

/** Makes the type of an object whose fields a {@link TypeProvider} declares. */
export function objectType(name: string): Type {
  return new Type("struct", name);
}

/** Makes a placeholder for the signature of a function: in one call, the same parameter is the same type. */
export function typeParameter(name: string): Type {
  return new Type("typeParam", name);
}

/** Makes Protocol buffers' wrapper of a primitive type: the type, or null. */
export function nullableType(type: Type): Type {
  return new Type(type.kind, type.name, type.parameters, true);
}

export const LIST_OF_DYN = listType(DYN);
export const MAP_OF_DYN = mapType(DYN, DYN);

/** Types whose names at runtime are others than those in messages. */
const NAMED_BY_KIND: ReadonlySet<Kind> = new Set<Kind>(["any", "duration", "null", "timestamp"]);

function formatType(type: Type): string {
  if (type.nullable) return `wrapper(${type.name})`;
  if (type.kind === "error") return "!error!";
  if (NAMED_BY_KIND.has(type.kind)) return type.kind;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.join(", ")})`;
}

/** Formats a call as cel-go does in messages: `(int, string)`, and `string.(int)` for a member function. */
export function formatSignature(args: readonly Type[], result: Type | undefined, member: boolean): string {
  const [target, ...rest] = args;
  const text = member ? `${target}.(${rest.join(", ")})` : `(${args.join(", ")})`;
  return result === undefined ? text : `${text} -> ${result}`;
}
