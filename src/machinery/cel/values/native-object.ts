import type { TypeProvider } from "../types/provider.js";
import type { Type } from "../types/type.js";
import { spendSteps } from "./meter.js";
import { equalValues, ErrorValue, ObjectValue, type Value } from "./value.js";

/** How a field is read. */
interface NativeField {
  readonly key: string;
  readonly toValue: (native: unknown) => Value;
}

/** The fields of a type, each looked up once. */
type NativeFields = (field: string) => NativeField | undefined;

/** A decoded object whose fields its type declares: a field becomes a value when it is read. */
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
