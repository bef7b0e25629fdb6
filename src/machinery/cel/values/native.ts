import type { TypeProvider } from "../types/provider.js";
import { Type } from "../types/type.js";
import { parseDuration } from "./duration.js";
import { intOf, CelValue, Double, ErrorValue, type Value, equalValues, ObjectValue } from "./value.js";
import { NativeList } from "./list.js";
import { NativeMap } from "./map.js";
import { parseTimestamp } from "./timestamp.js";
import { spendSteps } from "./meter.js";

/** How a field is read. */
interface NativeField {
  readonly key: string;
  readonly toValue: (native: unknown) => Value;
}

/** The fields of a type, each looked up once. */
type NativeFields = (field: string) => NativeField | undefined;

/** An object value over a decoded object whose type declares the fields: a field is converted when it is read. */
export class NativeObject extends ObjectValue {
  readonly type: Type;
  readonly native: Readonly<Record<string, unknown>>;
  readonly #fields: NativeFields;

  constructor(type: Type, native: Readonly<Record<string, unknown>>, fields: NativeFields) {
    super();
    this.type = type;
    this.native = native;
    this.#fields = fields;
  }

  /** What reads the fields of a type in decoded objects. */
  static fieldsOf(
    typeName: string,
    provider: TypeProvider,
    toValue: (type: Type) => (native: unknown) => Value,
  ): NativeFields {
    const known = new Map<string, NativeField | undefined>();
    return (name) => {
      if (known.has(name)) return known.get(name);
      const declared = provider.findField(typeName, name);
      const field = declared && { key: declared.key ?? name, toValue: toValue(declared.type) };
      known.set(name, field);
      return field;
    };
  }

  get(field: string): Value {
    const declared = this.#fields(field);
    if (declared === undefined) return new ErrorValue(`no such field '${field}'`);
    const native = Object.hasOwn(this.native, declared.key) ? this.native[declared.key] : undefined;
    return native === undefined ? new ErrorValue(`no such key: ${field}`) : declared.toValue(native);
  }

  has(field: string): boolean | ErrorValue {
    const declared = this.#fields(field);
    if (declared === undefined) return new ErrorValue(`no such field '${field}'`);
    return Object.hasOwn(this.native, declared.key) && this.native[declared.key] !== undefined;
  }

  /** Equal are objects of one type whose keys are the same, and their values equal. */
  equals(other: Value): boolean {
    if (!(other instanceof NativeObject) || other.type.name !== this.type.name) return false;
    if (other.native === this.native) return true;
    const keys = Object.keys(this.native);
    if (keys.length !== Object.keys(other.native).length) return false;
    return keys.every((key) => {
      spendSteps(2);
      if (!Object.hasOwn(other.native, key)) return false;
      const [mine, theirs] = [this.#value(key), other.#value(key)];
      return equalValues(mine, theirs);
    });
  }

  #value(key: string): Value {
    const declared = this.#fields(key);
    const native = this.native[key];
    return declared === undefined ? String(native) : declared.toValue(native);
  }
}

/** Converts a decoded JSON value to a CEL value; integers are bigints where numbers would lose digits. */
export type ToValue = (native: unknown) => Value;

/** Makes values of decoded objects by their declared types. Nothing is converted before an expression reads it. */
export class NativeAdapter {
  readonly #provider: TypeProvider;
  readonly #known = new Map<Type, ToValue>();

  constructor(provider: TypeProvider) {
    this.#provider = provider;
  }

  /** How to make values of a type. What is not of that type becomes the value that it would be in a field of any type. */
  toValue(type: Type): ToValue {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const made = this.#make(type);
    this.#known.set(type, made);
    return made;
  }

  #make(type: Type): ToValue {
    const read = this.#reader(type);
    return (native) => {
      const value = read?.(native);
      return value === undefined ? this.#dynamic(native) : value;
    };
  }

  /** How to read what is of a type; undefined, or its answer undefined: as what its own form says. */
  #reader(type: Type): ((native: unknown) => Value | undefined) | undefined {
    switch (type.kind as string) {
      case "double":
        return (native) => (typeof native === "number" ? new Double(native) : undefined);
      case "list": {
        const element = this.#lazily(type.parameter(0));
        return (native) => (Array.isArray(native) ? new NativeList(native, element) : undefined);
      }
      case "map": {
        const value = this.#lazily(type.parameter(1));
        return (native) => (isPlainObject(native) ? new NativeMap(native, value) : undefined);
      }
      case "struct": {
        const fields = NativeObject.fieldsOf(type.name, this.#provider, (fieldType) => this.toValue(fieldType));
        return (native) => (isPlainObject(native) ? new NativeObject(type, native, fields) : undefined);
      }
      case "timestamp":
        return ofText((text) => parseTimestamp(text) ?? invalid(type, text));
      case "duration":
        return ofText((text) => parseDuration(text) ?? invalid(type, text));
      case "bytes":
        return ofText(decodeBase64);
      default:
        return undefined;
    }
  }

  /** A type may contain itself, so that what is inside of it is looked at when it is first read. */
  #lazily(type: Type): ToValue {
    let made: ToValue | undefined;
    return (native) => {
      made ??= this.toValue(type);
      return made(native);
    };
  }

  #dynamic(native: unknown): Value {
    if (typeof native === "string" || typeof native === "boolean" || native === null) return native;
    if (typeof native === "number") return numberValue(native);
    if (typeof native === "bigint") return intOf(native);
    if (native instanceof CelValue || native instanceof Uint8Array || native instanceof Type) return native;
    if (Array.isArray(native)) return new NativeList(native, this.#dynamicElement);
    if (isPlainObject(native)) return new NativeMap(native, this.#dynamicElement);
    return new ErrorValue(`unsupported conversion to ref.Val: (${typeof native})`);
  }

  readonly #dynamicElement: ToValue = (native) => this.#dynamic(native);
}

function ofText(read: (text: string) => Value): (native: unknown) => Value | undefined {
  return (native) => (typeof native === "string" ? read(native) : undefined);
}

/** A number whose type nothing declares is an int if it can be. */
function numberValue(native: number): Value {
  if (Number.isSafeInteger(native)) return native === 0 ? 0 : native;
  return new Double(native);
}

function isPlainObject(native: unknown): native is Readonly<Record<string, unknown>> {
  return (
    typeof native === "object" &&
    native !== null &&
    !Array.isArray(native) &&
    !(native instanceof CelValue) &&
    !(native instanceof Uint8Array) &&
    !(native instanceof Type)
  );
}

function invalid(type: Type, native: string): ErrorValue {
  return new ErrorValue(`Failed to parse '${native}' as ${type}`);
}

/** Bytes in a decoded object are base64. */
function decodeBase64(text: string): Value {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new ErrorValue("illegal base64 data");
  }
}
