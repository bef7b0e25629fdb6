import { Pace } from "../../../../base/time/pace.js";
import { atOnce } from "../../../../base/async/steps.js";
import type { ProgramIo } from "../../program.js";
import type { PosixRegexp } from "../posix-regexp.js";
import { toText, bytesIn, InputText, toNumber, type Value } from "./awk-format.js";
import { unescapeAwk } from "./awk-lexer.js";
import { fieldsOf, type Separator } from "./awk-records.js";
import { AwkError, type AwkProgram, type NameRef, slotOf } from "./awk-syntax.js";
import { awkRegexp } from "./awk-regexp.js";

/** The bytes of memory that an array's element or a field takes in addition to its text. */
export const ELEMENT_BYTES = 96;

/** The memory of variables is counted again after they have changed by so many bytes. */
export const COUNTED_BYTES = 4096;

/** How many compiled patterns are kept. */
const MOST_PATTERNS = 256;

export const NF = slotOf("NF");
export const NR = slotOf("NR");
export const FNR = slotOf("FNR");
export const FS = slotOf("FS");
export const OFS = slotOf("OFS");
export const ORS = slotOf("ORS");
export const RS = slotOf("RS");
export const FILENAME = slotOf("FILENAME");
export const SUBSEP = slotOf("SUBSEP");
export const CONVFMT = slotOf("CONVFMT");
export const OFMT = slotOf("OFMT");
export const RSTART = slotOf("RSTART");
export const RLENGTH = slotOf("RLENGTH");
export const ARGC = slotOf("ARGC");
export const ARGV = slotOf("ARGV");
export const ENVIRON = slotOf("ENVIRON");

export type AwkArray = Map<string, Value>;

/** The variables, arrays, line, fields and patterns of a running program, within its memory limit. */
export abstract class AwkVariables {
  protected readonly globals: (Value | AwkArray)[] = [];
  protected locals: (Value | AwkArray)[] = [];
  protected readonly pace = new Pace();
  readonly #patterns = new Map<string, PosixRegexp>();
  #line = "";
  /** Undefined until a field is asked for. */
  protected fields: Value[] | undefined;
  /** A field has changed: the line is made of the fields when it is asked for. */
  #lineIsStale = false;
  /** What the fields of a long line count. */
  protected fieldBytes = 0;
  /** Bytes of variables that are not counted yet. */
  #uncounted = 0;

  constructor(
    protected readonly io: ProgramIo,
    protected readonly program: AwkProgram,
  ) {}

  protected text(value: Value | AwkArray): string {
    if (typeof value === "string") return value;
    if (value instanceof Map) throw new AwkError("illegal reference to array");
    if (typeof value === "number" && Number.isInteger(value)) return toText(value, "");
    return toText(value, String(toTextOfFormat(this.globals[CONVFMT])));
  }

  protected load({ isLocal, slot }: NameRef): Value | AwkArray {
    if (isLocal) return this.locals[slot];
    if (slot === NF) {
      this.#split0();
      return this.globals[NF];
    }
    return this.globals[slot];
  }

  protected store(ref: NameRef, value: Value): void {
    const { isLocal, slot } = ref;
    const variables = isLocal ? this.locals : this.globals;
    const before = variables[slot];
    if (before instanceof Map) throw new AwkError("illegal reference to array");
    this.count(bytesIn(value) - bytesIn(before));
    if (!isLocal && slot === NF) {
      this.#setFieldCount(toNumber(value));
      return;
    }
    variables[slot] = value;
  }

  protected count(bytes: number): void {
    this.#uncounted += bytes;
    if (Math.abs(this.#uncounted) < COUNTED_BYTES) return;
    if (this.#uncounted > 0) this.io.memory.take(this.#uncounted);
    else this.io.memory.give(-this.#uncounted);
    this.#uncounted = 0;
  }

  protected array({ isLocal, slot }: NameRef): AwkArray {
    const variables = isLocal ? this.locals : this.globals;
    const value = variables[slot];
    if (value instanceof Map) return value;
    if (value !== undefined) throw new AwkError("type error: a variable is used as an array");
    const made: AwkArray = new Map();
    variables[slot] = made;
    return made;
  }

  protected setElement(array: AwkArray, key: string, value: Value): void {
    if (array.has(key)) this.count(bytesIn(value) - bytesIn(array.get(key)));
    else this.io.memory.take(ELEMENT_BYTES + key.length + bytesIn(value));
    array.set(key, value);
  }

  protected delete(array: AwkArray, key: string): void {
    if (!array.has(key)) return;
    this.io.memory.give(ELEMENT_BYTES + key.length + bytesIn(array.get(key)));
    array.delete(key);
  }

  protected subscript(values: readonly Value[]): string {
    return values.map((value) => this.text(value)).join(this.text(this.globals[SUBSEP]));
  }

  protected compiled(text: string): PosixRegexp {
    const known = this.#patterns.get(text);
    if (known !== undefined) return known;
    if (this.#patterns.size >= MOST_PATTERNS) this.#patterns.clear();
    const made = awkRegexp(text);
    this.#patterns.set(text, made);
    return made;
  }

  /* ---- The line and its fields ---- */
  protected setLine(line: string): void {
    this.count(line.length - this.#line.length - this.fieldBytes);
    this.fieldBytes = 0;
    this.#line = line;
    this.fields = undefined;
    this.#lineIsStale = false;
  }

  /** $0 */
  protected record(): string {
    if (this.#lineIsStale) {
      const joint = this.text(this.globals[OFS]);
      const line = (this.fields ?? []).map((field) => this.text(field)).join(joint);
      this.count(line.length - this.#line.length);
      this.#line = line;
      this.#lineIsStale = false;
    }
    return this.#line;
  }

  protected separator(): Separator {
    const text = this.text(this.globals[FS]);
    if (text.length > 1) return this.compiled(text);
    // A line feed separates fields as well where empty lines separate records.
    return text !== " " && this.globals[RS] === ""
      ? this.compiled(`[\n${text === "\\" || text === "]" || text === "^" ? `\\${text}` : text}]`)
      : text;
  }

  #split0(): Value[] {
    if (this.fields !== undefined) return this.fields;
    return this.#setFields(atOnce(fieldsOf(this.#line, this.separator())));
  }

  #setFields(texts: readonly string[]): Value[] {
    const fields = texts.map((text) => new InputText(text));
    this.fields = fields;
    this.globals[NF] = fields.length;
    return fields;
  }

  protected field(index: number): Value {
    if (index < 0) throw new AwkError(`negative field index $${index}`);
    return index === 0 ? new InputText(this.record()) : this.#split0()[Math.trunc(index) - 1];
  }

  protected setField(index: number, value: Value): void {
    const at = Math.trunc(index);
    if (at < 0) throw new AwkError(`negative field index $${at}`);
    if (at === 0) {
      this.setLine(this.text(value));
      return;
    }
    const fields = this.#split0();
    if (at > fields.length) this.#setFieldCount(at);
    this.count(bytesIn(value) - bytesIn(fields[at - 1]));
    fields[at - 1] = value === undefined || typeof value === "number" ? new InputText(this.text(value)) : value;
    this.#lineIsStale = true;
  }

  #setFieldCount(count: number): void {
    const fields = this.#split0();
    const wanted = Math.max(0, Math.trunc(count));
    if (wanted > fields.length) this.io.memory.take((wanted - fields.length) * ELEMENT_BYTES);
    while (fields.length < wanted) fields.push(new InputText(""));
    fields.length = wanted;
    this.globals[NF] = wanted;
    this.#lineIsStale = true;
  }

  /** Assigns what an operand such as "name=value" says; false where it says nothing. */
  protected assignArgument(operand: string): boolean {
    const [, name, value = ""] = /^([A-Za-z_]\w*)=([^]*)$/.exec(operand) ?? [];
    if (name === undefined) return false;
    const slot = this.program.slots.get(name);
    if (slot !== undefined) this.store({ isLocal: false, slot }, new InputText(unescapeAwk(value)));
    return true;
  }
}

const toTextOfFormat = (value: Value | AwkArray): string =>
  typeof value === "string" ? value : value instanceof InputText ? value.text : "%.6g";
