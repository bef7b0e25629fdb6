import { Pace } from "../../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../../base/async/steps.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { absolute } from "../../files/file-system.js";
import type { ProgramIo } from "../../program.js";
import { giveWay } from "../../slices.js";
import { formatDate } from "../dates/format-date.js";
import { errnoText } from "../gnu-program.js";
import { latin, LineReader, unlatin } from "../latin-text.js";
import type { PosixRegexp } from "../posix-regexp.js";
import { formatAwk, toText } from "./awk-format.js";
import { unescapeAwk } from "./awk-lexer.js";
import { fieldsOf, RecordReader, type RecordSeparator, type Separator } from "./awk-records.js";
import { AwkStreams } from "./awk-streams.js";
import {
  AwkError,
  type AwkProgram,
  type Expression,
  type NameRef,
  type Rule,
  slotOf,
  SPECIAL,
  type Statement,
} from "./awk-syntax.js";
import { bytesIn, InputText, isNumeric, isTrue, toNumber, type Value } from "./awk-values.js";
import { awkRegexp } from "./parse-awk.js";
import { awkRandom, replaceMatches } from "./awk-functions.js";

/** What an element of an array, or a field that is made, takes beside its bytes. */
const ELEMENT_BYTES = 96;
/** Bytes of variables are counted when they have changed by so many. */
const COUNTED_BYTES = 4096;
/** What a field of a long line takes beside its bytes. */
const FIELD_BYTES = 48;
/** How deep functions may call each other. */
const DEEPEST_CALL = 1000;
/** Longer lines are split into fields in slices. */
const LONG_LINE = 32 * 1024;
/** How many compiled patterns are kept. */
const MOST_PATTERNS = 256;

type NumberOfEach<T extends readonly unknown[]> = { readonly [At in keyof T]: number };

const [NF, NR, FNR, FS, OFS, ORS, RS, FILENAME, SUBSEP, CONVFMT, OFMT, RSTART, RLENGTH, ARGC, ARGV, ENVIRON] =
  SPECIAL.map(slotOf) as unknown as NumberOfEach<typeof SPECIAL>;

type AwkArray = Map<string, Value>;
type Signal = "next" | "nextfile" | "exit" | "break" | "continue" | "return" | undefined;

/** next, nextfile or exit in a function. */
class Jump extends Error {
  constructor(readonly signal: Signal) {
    super();
  }
}

/** Runs a program of awk. */
export class AwkRun {
  readonly #globals: (Value | AwkArray)[] = [];
  #locals: (Value | AwkArray)[] = [];
  readonly #streams: AwkStreams;
  readonly #pace = new Pace();
  readonly #patterns = new Map<string, PosixRegexp>();
  /** Whether a rule's range is open, by the rule. */
  readonly #open = new Set<Rule>();
  readonly #random = awkRandom();
  #line = "";
  /** Undefined until a field is asked for. */
  #fields: Value[] | undefined;
  /** A field has changed: the line is made of the fields when it is asked for. */
  #lineIsStale = false;
  /** What the fields of a long line count. */
  #fieldBytes = 0;
  #records: RecordReader | undefined;
  #nextArgument = 1;
  #hasReadFile = false;
  #calls = 0;
  /** Bytes of variables that are not counted yet. */
  #uncounted = 0;
  #returned: Value;
  #exitCode = 0;
  #failure = 0;

  constructor(
    private readonly io: ProgramIo,
    private readonly program: AwkProgram,
    operands: readonly string[],
    assignments: readonly string[],
    separator: string | undefined,
  ) {
    this.#streams = new AwkStreams(io);
    const initial: readonly (readonly [number, Value])[] = [
      [NR, 0],
      [FNR, 0],
      [FS, separator ?? " "],
      [OFS, " "],
      [ORS, "\n"],
      [RS, "\n"],
      [SUBSEP, "\x1c"],
      [CONVFMT, "%.6g"],
      [OFMT, "%.6g"],
      [RSTART, 0],
      [RLENGTH, -1],
      [ARGC, operands.length + 1],
    ];
    for (const [slot, value] of initial) this.#globals[slot] = value;
    const args: AwkArray = new Map([["0", "awk"]]);
    for (const [index, operand] of operands.entries()) args.set(String(index + 1), new InputText(latin(operand)));
    this.#globals[ARGV] = args;
    this.#globals[ENVIRON] = new Map(
      Object.entries(io.env).map(([name, value]) => [latin(name), new InputText(latin(value))]),
    );
    for (const assignment of assignments) this.#assignArgument(latin(assignment));
  }

  /** Answers the exit code. */
  async run(): Promise<number> {
    const work = this.#whole();
    for (;;) {
      const step = work.next();
      if (step.done === true) break;
      if (step.value !== undefined) await step.value;
      if (sliceIsSpent()) await giveWay(this.io);
    }
    await this.#streams.closeAll();
    return this.#exitCode === 0 ? this.#failure : this.#exitCode;
  }

  /** Writes what the program has printed before it failed. */
  flush(): Promise<void> {
    return this.#streams.stdout.flush();
  }

  *#whole(): Steps<void> {
    const { begin, rules, end } = this.program;
    let signal: Signal;
    for (const statement of begin) if ((signal = yield* this.#guarded(statement)) === "exit") break;
    if (signal !== "exit" && (rules.length > 0 || end.length > 0)) {
      while (signal !== "exit" && (yield* this.#nextRecord())) {
        signal = yield* this.#rules(rules);
        if (signal === "nextfile") this.#records = undefined;
        if (this.#pace.isDue()) yield;
      }
    }
    for (const statement of end) if ((yield* this.#guarded(statement)) === "exit") break;
  }

  *#rules(rules: readonly Rule[]): Steps<Signal> {
    for (const rule of rules) {
      if (!(yield* this.#chooses(rule))) continue;
      if (rule.action === undefined) yield this.#streams.stdout.write(this.#record() + this.#text(this.#globals[ORS]));
      else {
        const signal = yield* this.#guarded(rule.action);
        if (signal !== undefined) return signal;
      }
    }
    return undefined;
  }

  *#chooses(rule: Rule): Steps<boolean> {
    const [first, last] = rule.patterns;
    if (first === undefined) return true;
    if (last === undefined) return isTrue(yield* this.#value(first));
    if (!this.#open.has(rule)) {
      if (!isTrue(yield* this.#value(first))) return false;
      this.#open.add(rule);
    }
    if (isTrue(yield* this.#value(last))) this.#open.delete(rule);
    return true;
  }

  /** Runs a rule's action; a signal of a function's ends it as one of its own. */
  *#guarded(statement: Statement): Steps<Signal> {
    try {
      return yield* this.#execute(statement);
    } catch (error) {
      if (!(error instanceof Jump)) throw error;
      this.#locals = [];
      this.#calls = 0;
      return error.signal;
    }
  }

  *#execute(statement: Statement): Steps<Signal> {
    if (this.#pace.isDue()) yield;
    switch (statement.kind) {
      case "expression":
        yield* this.#value(statement.expression);
        return undefined;
      case "print":
        yield* this.#print(statement);
        return undefined;
      case "block":
        for (const one of statement.body) {
          const signal = yield* this.#execute(one);
          if (signal !== undefined) return signal;
        }
        return undefined;
      case "if":
        if (isTrue(yield* this.#value(statement.condition))) return yield* this.#execute(statement.whenTrue);
        return statement.otherwise === undefined ? undefined : yield* this.#execute(statement.otherwise);
      case "while":
        return yield* this.#loop(statement.condition, statement.body, undefined, statement.testsLast);
      case "for":
        if (statement.first !== undefined) yield* this.#execute(statement.first);
        return yield* this.#loop(statement.condition, statement.body, statement.step, false);
      case "forIn":
        return yield* this.#forIn(statement);
      case "delete": {
        const array = this.#array(statement.array);
        const subscripts: Value[] = [];
        for (const one of statement.subscripts) subscripts.push(yield* this.#value(one));
        if (subscripts.length === 0) for (const key of array.keys()) this.#delete(array, key);
        else this.#delete(array, this.#subscript(subscripts));
        return undefined;
      }
      case "exit":
        if (statement.expression !== undefined)
          this.#exitCode = toNumber(yield* this.#value(statement.expression)) & 0xff;
        return "exit";
      case "return":
        this.#returned = statement.expression === undefined ? undefined : yield* this.#value(statement.expression);
        return "return";
      case "break":
      case "continue":
      case "next":
      case "nextfile":
        return statement.kind;
    }
  }

  *#loop(
    condition: Expression | undefined,
    body: Statement,
    step: Statement | undefined,
    testsLast: boolean,
  ): Steps<Signal> {
    for (let isFirst = true; ; isFirst = false) {
      if (this.#pace.isDue()) yield;
      if (!(isFirst && testsLast) && condition !== undefined && !isTrue(yield* this.#value(condition)))
        return undefined;
      const signal = yield* this.#execute(body);
      if (signal === "break") return undefined;
      if (signal !== undefined && signal !== "continue") return signal;
      if (step !== undefined) yield* this.#execute(step);
    }
  }

  *#forIn({ name, array, body }: Extract<Statement, { kind: "forIn" }>): Steps<Signal> {
    const map = this.#array(array);
    const keys = [...map.keys()];
    this.io.memory.take(keys.length * 8);
    let result: Signal;
    for (const key of keys) {
      if (!map.has(key)) continue;
      this.#store(name, new InputText(key));
      const signal = yield* this.#execute(body);
      if (signal === "break") break;
      if (signal === undefined || signal === "continue") continue;
      result = signal;
      break;
    }
    this.io.memory.give(keys.length * 8);
    return result;
  }

  *#print({ args, formatted, to }: Extract<Statement, { kind: "print" }>): Steps<void> {
    const values: Value[] = [];
    for (const arg of args) values.push(yield* this.#value(arg));
    let text: string;
    if (formatted) text = this.#format(values);
    else {
      const format = this.#text(this.#globals[OFMT]);
      const shown = values.map((value) => toText(value, format));
      text =
        (args.length === 0 ? this.#record() : shown.join(this.#text(this.#globals[OFS]))) +
        this.#text(this.#globals[ORS]);
    }
    if (to === undefined) {
      const written = this.#streams.stdout.write(text);
      if (written !== undefined) yield written;
      return;
    }
    const target = this.#text(yield* this.#value(to.target));
    const written = this.#streams.output(to.op, target).write(text);
    if (written !== undefined) yield written;
  }

  #format([format, ...args]: readonly Value[]): string {
    return formatAwk(
      this.#text(format),
      args,
      (value) => this.#text(value),
      (bytes) => {
        if (bytes < COUNTED_BYTES) return;
        // Throws where so long a text would not fit.
        this.io.memory.take(bytes);
        this.io.memory.give(bytes);
      },
    );
  }

  #text(value: Value | AwkArray): string {
    if (typeof value === "string") return value;
    if (value instanceof Map) throw new AwkError("illegal reference to array");
    if (typeof value === "number" && Number.isInteger(value)) return toText(value, "");
    return toText(value, String(toTextOfFormat(this.#globals[CONVFMT])));
  }

  /** The value of an expression, which may wait for others. */
  *#value(node: Expression): Steps<Value> {
    if (node.isPure) return this.#now(node);
    const kind: string = node.kind;
    switch (kind) {
      case "and":
      case "or": {
        const left = isTrue(yield* this.#value(kid(node, 0)));
        if (left === (kind === "or")) return Number(left);
        return Number(isTrue(yield* this.#value(kid(node, 1))));
      }
      case "cond":
        return yield* this.#value(kid(node, isTrue(yield* this.#value(kid(node, 0))) ? 1 : 2));
      case "call":
        return yield* this.#call(node);
      case "getline":
        return yield* this.#getline(node);
      case "builtin":
        switch (node.op) {
          case "sub":
          case "gsub":
          case "gensub":
            return yield* this.#substitute(node);
          case "split":
            return yield* this.#split(node);
          case "system":
          case "close":
          case "fflush":
            return yield* this.#control(node);
          default:
        }
        break;
      default:
    }
    return this.#now(yield* this.#settled(node));
  }

  /** The expression with the values of its parts. */
  *#settled(node: Expression): Steps<Expression> {
    const kids: Expression[] = [];
    for (const [index, one] of node.kids.entries()) {
      const isTarget = index === 0 && (node.kind === "assign" || node.kind === "increment");
      if (one.isPure) kids.push(one);
      else kids.push(isTarget ? yield* this.#settled(one) : valueNode(yield* this.#value(one)));
    }
    return { ...node, kids, isPure: true };
  }

  /** The value of an expression that waits for nothing. */
  #now(node: Expression): Value {
    const kind: string = node.kind;
    switch (kind) {
      case "value":
        return node.value;
      case "regexp":
        return Number(node.regexp?.exec(this.#record()) !== undefined);
      case "name": {
        const value = this.#load(node.ref as NameRef);
        if (value instanceof Map) throw new AwkError("illegal reference to array");
        return value;
      }
      case "field":
        return this.#field(toNumber(this.#now(kid(node, 0))));
      case "element": {
        const array = this.#array(node.ref as NameRef);
        const key = this.#subscriptOf(node.kids);
        if (!array.has(key)) this.#setElement(array, key, undefined);
        return array.get(key);
      }
      case "assign":
        return this.#assign(node);
      case "increment":
        return this.#increment(node);
      case "cond":
        return this.#now(kid(node, isTrue(this.#now(kid(node, 0))) ? 1 : 2));
      case "and":
        return Number(isTrue(this.#now(kid(node, 0))) && isTrue(this.#now(kid(node, 1))));
      case "or":
        return Number(isTrue(this.#now(kid(node, 0))) || isTrue(this.#now(kid(node, 1))));
      case "in":
        return Number(this.#array(node.ref as NameRef).has(this.#subscriptOf(node.kids)));
      case "match": {
        const text = this.#text(this.#now(kid(node, 0)));
        const found = this.#pattern(kid(node, 1)).exec(text) !== undefined;
        return Number(found === (node.op === "~"));
      }
      case "compare":
        return Number(this.#compare(node));
      case "arithmetic":
        return arithmetic(node.op, toNumber(this.#now(kid(node, 0))), toNumber(this.#now(kid(node, 1))));
      case "concat": {
        let text = "";
        for (const part of node.kids) text += this.#text(this.#now(part));
        if (text.length > LONGEST_FREE_TEXT) {
          this.io.memory.take(text.length);
          this.io.memory.give(text.length);
        }
        return text;
      }
      case "negate":
        return -toNumber(this.#now(kid(node, 0)));
      case "plus":
        return toNumber(this.#now(kid(node, 0)));
      case "not":
        return Number(!isTrue(this.#now(kid(node, 0))));
      case "builtin":
        return this.#builtin(node);
      default:
        throw new AwkError("illegal expression");
    }
  }

  #load({ isLocal, slot }: NameRef): Value | AwkArray {
    if (isLocal) return this.#locals[slot];
    if (slot === NF) {
      this.#split0();
      return this.#globals[NF];
    }
    return this.#globals[slot];
  }

  #store(ref: NameRef, value: Value): void {
    const { isLocal, slot } = ref;
    const variables = isLocal ? this.#locals : this.#globals;
    const before = variables[slot];
    if (before instanceof Map) throw new AwkError("illegal reference to array");
    this.#count(bytesIn(value) - bytesIn(before));
    if (!isLocal && slot === NF) {
      this.#setFieldCount(toNumber(value));
      return;
    }
    variables[slot] = value;
  }

  #count(bytes: number): void {
    this.#uncounted += bytes;
    if (Math.abs(this.#uncounted) < COUNTED_BYTES) return;
    if (this.#uncounted > 0) this.io.memory.take(this.#uncounted);
    else this.io.memory.give(-this.#uncounted);
    this.#uncounted = 0;
  }

  #array({ isLocal, slot }: NameRef): AwkArray {
    const variables = isLocal ? this.#locals : this.#globals;
    const value = variables[slot];
    if (value instanceof Map) return value;
    if (value !== undefined) throw new AwkError("type error: a variable is used as an array");
    const made: AwkArray = new Map();
    variables[slot] = made;
    return made;
  }

  #setElement(array: AwkArray, key: string, value: Value): void {
    if (array.has(key)) this.#count(bytesIn(value) - bytesIn(array.get(key)));
    else this.io.memory.take(ELEMENT_BYTES + key.length + bytesIn(value));
    array.set(key, value);
  }

  #delete(array: AwkArray, key: string): void {
    if (!array.has(key)) return;
    this.io.memory.give(ELEMENT_BYTES + key.length + bytesIn(array.get(key)));
    array.delete(key);
  }

  #subscriptOf(kids: readonly Expression[]): string {
    const [only] = kids;
    if (kids.length === 1 && only !== undefined) return this.#text(this.#now(only));
    return this.#subscript(kids.map((one) => this.#now(one)));
  }

  #subscript(values: readonly Value[]): string {
    return values.map((value) => this.#text(value)).join(this.#text(this.#globals[SUBSEP]));
  }

  #compare(node: Expression): boolean {
    const [a, b] = [this.#now(kid(node, 0)), this.#now(kid(node, 1))];
    const order = isNumeric(a) && isNumeric(b) ? toNumber(a) - toNumber(b) : compareTexts(this.#text(a), this.#text(b));
    switch (node.op) {
      case "<":
        return order < 0;
      case "<=":
        return order <= 0;
      case "==":
        return order === 0;
      case "!=":
        return order !== 0;
      case ">":
        return order > 0;
      default:
        return order >= 0;
    }
  }

  #assign(node: Expression): Value {
    const target = kid(node, 0);
    let value = this.#now(kid(node, 1));
    if (node.op !== "") value = arithmetic(node.op, toNumber(this.#now(target)), toNumber(value));
    this.#set(target, value);
    return value;
  }

  #set(target: Expression, value: Value): void {
    if (target.kind === "name") this.#store(target.ref as NameRef, value);
    else if (target.kind === "field") this.#setField(toNumber(this.#now(kid(target, 0))), value);
    else this.#setElement(this.#array(target.ref as NameRef), this.#subscriptOf(target.kids), value);
  }

  #increment(node: Expression): Value {
    const target = kid(node, 0);
    const before = toNumber(this.#now(target));
    const after = node.op.includes("+") ? before + 1 : before - 1;
    this.#set(target, after);
    return node.op.startsWith("x") ? before : after;
  }

  /** A pattern, or a text that is one. */
  #pattern(node: Expression): PosixRegexp {
    return node.kind === "regexp" && node.regexp !== undefined
      ? node.regexp
      : this.#compiled(this.#text(this.#now(node)));
  }

  #compiled(text: string): PosixRegexp {
    const known = this.#patterns.get(text);
    if (known !== undefined) return known;
    if (this.#patterns.size >= MOST_PATTERNS) this.#patterns.clear();
    const made = awkRegexp(text);
    this.#patterns.set(text, made);
    return made;
  }

  /* ---- The line and its fields ---- */

  #setLine(line: string): void {
    this.#count(line.length - this.#line.length - this.#fieldBytes);
    this.#fieldBytes = 0;
    this.#line = line;
    this.#fields = undefined;
    this.#lineIsStale = false;
  }

  /** $0 */
  #record(): string {
    if (this.#lineIsStale) {
      const joint = this.#text(this.#globals[OFS]);
      const line = (this.#fields ?? []).map((field) => this.#text(field)).join(joint);
      this.#count(line.length - this.#line.length);
      this.#line = line;
      this.#lineIsStale = false;
    }
    return this.#line;
  }

  #separator(): Separator {
    const text = this.#text(this.#globals[FS]);
    if (text.length > 1) return this.#compiled(text);
    // A line feed separates fields as well where empty lines separate records.
    return text !== " " && this.#globals[RS] === ""
      ? this.#compiled(`[\n${text === "\\" || text === "]" || text === "^" ? `\\${text}` : text}]`)
      : text;
  }

  #split0(): Value[] {
    if (this.#fields !== undefined) return this.#fields;
    return this.#setFields(atOnce(fieldsOf(this.#line, this.#separator())));
  }

  #setFields(texts: readonly string[]): Value[] {
    const fields = texts.map((text) => new InputText(text));
    this.#fields = fields;
    this.#globals[NF] = fields.length;
    return fields;
  }

  #field(index: number): Value {
    if (index < 0) throw new AwkError(`negative field index $${index}`);
    return index === 0 ? new InputText(this.#record()) : this.#split0()[Math.trunc(index) - 1];
  }

  #setField(index: number, value: Value): void {
    const at = Math.trunc(index);
    if (at < 0) throw new AwkError(`negative field index $${at}`);
    if (at === 0) {
      this.#setLine(this.#text(value));
      return;
    }
    const fields = this.#split0();
    if (at > fields.length) this.#setFieldCount(at);
    this.#count(bytesIn(value) - bytesIn(fields[at - 1]));
    fields[at - 1] = value === undefined || typeof value === "number" ? new InputText(this.#text(value)) : value;
    this.#lineIsStale = true;
  }

  #setFieldCount(count: number): void {
    const fields = this.#split0();
    const wanted = Math.max(0, Math.trunc(count));
    if (wanted > fields.length) this.io.memory.take((wanted - fields.length) * ELEMENT_BYTES);
    while (fields.length < wanted) fields.push(new InputText(""));
    fields.length = wanted;
    this.#globals[NF] = wanted;
    this.#lineIsStale = true;
  }

  /* ---- Input ---- */

  #recordSeparator(): RecordSeparator {
    const text = this.#text(this.#globals[RS]);
    if (text.length === 1) return { kind: "character", char: text };
    return text === "" ? { kind: "paragraph" } : { kind: "regexp", regexp: this.#compiled(text) };
  }

  /** Reads the next line of the operands into $0. */
  *#nextRecord(): Steps<boolean> {
    const line = yield* this.#nextLine();
    if (line === undefined) return false;
    this.#setLine(line);
    if (line.length <= LONG_LINE) return true;
    const texts = yield* fieldsOf(line, this.#separator());
    this.#fieldBytes = texts.length * FIELD_BYTES;
    this.#count(this.#fieldBytes);
    const fields: Value[] = [];
    for (const text of texts) {
      fields.push(new InputText(text));
      if (this.#pace.isDue()) yield;
    }
    this.#fields = fields;
    this.#globals[NF] = fields.length;
    return true;
  }

  *#nextLine(): Steps<string | undefined> {
    for (;;) {
      if (this.#records === undefined && !this.#openNext()) return undefined;
      const ready = this.#records?.ready(this.#recordSeparator());
      const line = ready ?? (yield* awaited(this.#readRecord())).current;
      if (line === undefined) {
        this.#records = undefined;
        continue;
      }
      this.#globals[NR] = toNumber(this.#globals[NR] as Value) + 1;
      this.#globals[FNR] = toNumber(this.#globals[FNR] as Value) + 1;
      return line;
    }
  }

  async #readRecord(): Promise<string | undefined> {
    try {
      return await this.#records?.next(this.#recordSeparator());
    } catch (error) {
      throw new AwkError(`cannot read ${this.#text(this.#globals[FILENAME])} (${errnoText(error)})`);
    }
  }

  /** Opens the next operand that is a file; operands that assign a variable do so. */
  #openNext(): boolean {
    const { io } = this;
    const args = this.#array({ isLocal: false, slot: ARGV });
    for (;;) {
      const isLast = this.#nextArgument >= toNumber(this.#globals[ARGC] as Value);
      if (isLast && this.#hasReadFile) return false;
      const operand = isLast ? "-" : this.#text(args.get(String(this.#nextArgument)));
      this.#nextArgument += 1;
      if (operand === "" || (!isLast && this.#assignArgument(operand))) continue;
      this.#hasReadFile = true;
      const path = unlatin(operand);
      if (path !== "-" && io.files.look(absolute(io.cwd, path)) === undefined)
        throw new AwkError(`cannot open ${path} (No such file or directory)`);
      const content = path === "-" ? io.stdin : io.files.read(absolute(io.cwd, path));
      this.#records = new RecordReader(new LineReader(content, io.memory, () => this.#streams.flush()));
      this.#globals[FNR] = 0;
      this.#globals[FILENAME] = isLast ? "" : operand;
      return true;
    }
  }

  /** Assigns what an operand such as "name=value" says; false where it says nothing. */
  #assignArgument(operand: string): boolean {
    const [, name, value = ""] = /^([A-Za-z_]\w*)=([^]*)$/.exec(operand) ?? [];
    if (name === undefined) return false;
    const slot = this.program.slots.get(name);
    if (slot !== undefined) this.#store({ isLocal: false, slot }, new InputText(unescapeAwk(value)));
    return true;
  }

  *#getline(node: Expression): Steps<Value> {
    const { source } = node;
    const target = node.kids[source === "input" ? 0 : 1];
    let line: string | undefined;
    if (source === "input") line = yield* this.#nextLine();
    else {
      const name = this.#text(yield* this.#value(kid(node, 0)));
      if (source === "command") yield this.#streams.flush();
      const reader = this.#streams.input(source ?? "file", name);
      if (reader === undefined) return -1;
      const read = yield* awaited(
        reader
          .next()
          .catch(errnoText)
          .then((text) => ({ text, failed: false })),
      );
      line = read.current.text;
      if (source === "command") this.#globals[NR] = toNumber(this.#globals[NR] as Value) + Number(line !== undefined);
    }
    if (line === undefined) return 0;
    if (target === undefined) this.#setLine(line);
    else this.#set(target.isPure ? target : yield* this.#settled(target), new InputText(line));
    return 1;
  }

  /* ---- Functions ---- */

  *#call(node: Expression): Steps<Value> {
    const called = this.program.functions[node.callee ?? -1];
    if (called?.body === undefined) throw new AwkError("function never defined");
    if (node.kids.length > called.parameters.length) throw new AwkError(`too many arguments in call to ${called.name}`);
    const locals: (Value | AwkArray)[] = [];
    for (const [index, arg] of node.kids.entries()) {
      if (called.arrays.has(index)) {
        if (arg.ref === undefined || arg.kind !== "name")
          throw new AwkError(`type error in arg(${index + 1}) in call to ${called.name}`);
        locals.push(this.#array(arg.ref));
      } else if (arg.kind === "name" && arg.ref !== undefined && this.#load(arg.ref) instanceof Map)
        locals.push(this.#load(arg.ref));
      else locals.push(yield* this.#value(arg));
    }
    if ((this.#calls += 1) > DEEPEST_CALL) throw new AwkError("function call nesting too deep");
    for (let index = locals.length; index < called.parameters.length; index += 1) locals.push(undefined);
    const passed = node.kids.length;
    const frame = ELEMENT_BYTES * (1 + locals.length);
    this.io.memory.take(frame);
    for (const local of locals) if (!(local instanceof Map)) this.#count(bytesIn(local));
    const callers = this.#locals;
    this.#locals = locals;
    this.#returned = undefined;
    const signal = yield* this.#execute(called.body);
    this.#locals = callers;
    this.#calls -= 1;
    this.io.memory.give(frame);
    for (const [index, local] of locals.entries()) {
      if (!(local instanceof Map)) this.#count(-bytesIn(local));
      else if (index >= passed) for (const key of local.keys()) this.#delete(local, key);
    }
    if (signal === "next" || signal === "nextfile" || signal === "exit") throw new Jump(signal);
    const returned = this.#returned;
    this.#returned = undefined;
    return returned;
  }

  *#control(node: Expression): Steps<Value> {
    const name = node.kids.length === 0 ? undefined : this.#text(yield* this.#value(kid(node, 0)));
    if (node.op === "system") return (yield* awaited(this.#streams.system(name ?? ""))).current;
    if (node.op === "close") return (yield* awaited(this.#streams.close(name ?? ""))).current;
    yield this.#streams.flush(name);
    return 0;
  }

  *#split(node: Expression): Steps<Value> {
    const text = this.#text(yield* this.#value(kid(node, 0)));
    const by = node.kids[2];
    let separator: Separator = this.#separator();
    if (by?.kind === "regexp" && by.regexp !== undefined) separator = by.regexp;
    else if (by !== undefined) {
      const given = this.#text(yield* this.#value(by));
      separator = given.length > 1 ? this.#compiled(given) : given;
    }
    const fields = yield* fieldsOf(text, separator);
    const array = this.#array(kid(node, 1).ref as NameRef);
    for (const key of array.keys()) this.#delete(array, key);
    for (const [index, field] of fields.entries()) {
      this.#setElement(array, String(index + 1), new InputText(field));
      if (this.#pace.isDue()) yield;
    }
    return fields.length;
  }

  *#substitute(node: Expression): Steps<Value> {
    const [first = node, replacement = node, third, fourth] = node.kids;
    const pattern = first.isPure ? this.#pattern(first) : this.#compiled(this.#text(yield* this.#value(first)));
    const by = this.#text(yield* this.#value(replacement));
    if (node.op === "gensub") {
      const how = third === undefined ? "1" : this.#text(yield* this.#value(third));
      const text = fourth === undefined ? this.#record() : this.#text(yield* this.#value(fourth));
      const number = /^[gG]/.test(how) ? undefined : Math.max(1, toNumber(how));
      return (yield* replaceMatches(text, pattern, by, { number, groups: true })).text;
    }
    const target = third === undefined ? RECORD : third.isPure ? third : yield* this.#settled(third);
    const text = this.#text(this.#now(target));
    const number = node.op === "sub" ? 1 : undefined;
    const replaced = yield* replaceMatches(text, pattern, by, { number, groups: false });
    if (replaced.count > 0) {
      // What is no variable only counts.
      if (target.kind === "name" || target.kind === "field" || target.kind === "element")
        this.#set(target, replaced.text);
    }
    return replaced.count;
  }

  #builtin({ op, kids }: Expression): Value {
    const arg = (index: number): Value => {
      const node = kids[index];
      return node === undefined ? undefined : this.#now(node);
    };
    const number = (index: number): number => toNumber(arg(index));
    const text = (index: number): string => this.#text(arg(index));
    switch (op) {
      case "length": {
        const [of] = kids;
        if (of === undefined) return this.#record().length;
        const value = of.kind === "name" && of.ref !== undefined ? this.#load(of.ref) : this.#now(of);
        return value instanceof Map ? value.size : this.#text(value).length;
      }
      case "substr":
        return substring(text(0), number(1), kids.length > 2 ? number(2) : Number.POSITIVE_INFINITY);
      case "index":
        return text(0).indexOf(text(1)) + 1;
      case "match": {
        const [start = -1, end = -1] = this.#pattern(kid({ kids }, 1)).exec(text(0)) ?? [];
        this.#globals[RSTART] = start + 1;
        this.#globals[RLENGTH] = start < 0 ? -1 : end - start;
        return start + 1;
      }
      case "sprintf":
        return this.#format(kids.map((one) => this.#now(one)));
      case "tolower":
        return text(0).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
      case "toupper":
        return text(0).replace(/[a-z]+/g, (letters) => letters.toUpperCase());
      case "sin":
        return Math.sin(number(0));
      case "cos":
        return Math.cos(number(0));
      case "atan2":
        return Math.atan2(number(0), number(1));
      case "exp":
        return Math.exp(number(0));
      case "log":
        return Math.log(number(0));
      case "sqrt":
        return Math.sqrt(number(0));
      case "int":
        return Math.trunc(number(0)) + 0;
      case "rand":
        return this.#random.next();
      case "srand":
        return this.#random.seed(kids.length === 0 ? Math.floor(this.io.clock.now() / 1000) : number(0));
      case "systime":
        return Math.floor(this.io.clock.now() / 1000);
      case "strftime": {
        const time = kids.length > 1 ? number(1) * 1000 : this.io.clock.now();
        return formatDate(kids.length > 0 ? text(0) : "%a %b %e %H:%M:%S %Z %Y", time);
      }
      default:
        throw new AwkError(`${op} is not supported`);
    }
  }
}

/** Texts that are longer must fit into the program's memory while they are made. */
const LONGEST_FREE_TEXT = 64 * 1024;

const valueNode = (value: Value): Expression => ({ kind: "value", kids: [], op: "", value, isPure: true, depth: 1 });
const RECORD: Expression = { kind: "field", kids: [valueNode(0)], op: "", isPure: true, depth: 2 };

const kid = ({ kids }: Pick<Expression, "kids">, index: number): Expression => kids[index] as Expression;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const toTextOfFormat = (value: Value | AwkArray): string =>
  typeof value === "string" ? value : value instanceof InputText ? value.text : "%.6g";

function arithmetic(op: string, a: number, b: number): number {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      if (b === 0) throw new AwkError("division by zero");
      return a / b;
    case "%":
      if (b === 0) throw new AwkError("division by zero in %");
      return a % b;
    default:
      return a ** b;
  }
}

/** From a place that counts from 1; what lies outside of the text is left out. */
function substring(text: string, from: number, length: number): string {
  const start = Math.round(from);
  const end = length === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : start + Math.round(length);
  const first = Math.max(1, start);
  return Number.isNaN(end) || end <= first ? "" : text.slice(first - 1, end - 1);
}

/** What a promise resolves with: the work goes on when it has. */
function* awaited<T>(promise: Promise<T>): Steps<{ readonly current: T }> {
  let result: { readonly current: T } | undefined;
  yield promise.then((current) => {
    result = { current };
  });
  if (result === undefined) throw new Error("work went on before its promise had settled");
  return result;
}
