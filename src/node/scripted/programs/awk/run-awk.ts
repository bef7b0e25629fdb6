import type { Steps } from "../../../../base/async/steps.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { absolute } from "../../files/file-system.js";
import type { ProgramIo } from "../../program.js";
import { giveWay } from "../../slices.js";
import { errnoText } from "../gnu-program.js";
import { latin, LineReader, unlatin } from "../latin-text.js";
import { toText, bytesIn, InputText, isTrue, toNumber, type Value } from "./awk-format.js";
import { fieldsOf, RecordReader, type RecordSeparator } from "./awk-records.js";
import { AwkStreams } from "./awk-streams.js";
import { AwkError, type AwkProgram, type Expression, type Rule, type Statement } from "./awk-syntax.js";
import {
  ELEMENT_BYTES,
  NF,
  NR,
  FNR,
  FS,
  OFS,
  ORS,
  RS,
  FILENAME,
  SUBSEP,
  CONVFMT,
  OFMT,
  RSTART,
  RLENGTH,
  ARGC,
  ARGV,
  ENVIRON,
  type AwkArray,
} from "./awk-variables.js";
import { kid, AwkExpressions } from "./awk-expressions.js";

/** What a field of a long line takes beside its bytes. */
const FIELD_BYTES = 48;

/** How deep functions may call each other. */
const DEEPEST_CALL = 1000;

/** Longer lines are split into fields in slices. */
const LONG_LINE = 32 * 1024;

type Signal = "next" | "nextfile" | "exit" | "break" | "continue" | "return" | undefined;

/** next, nextfile or exit in a function. */
class Jump extends Error {
  constructor(readonly signal: Signal) {
    super();
  }
}

/** Runs a program of awk: its rules and statements, its input and the functions that it defines. */
export class AwkRun extends AwkExpressions {
  readonly #streams: AwkStreams;
  /** Whether a rule's range is open, by the rule. */
  readonly #open = new Set<Rule>();
  #records: RecordReader | undefined;
  #nextArgument = 1;
  #hasReadFile = false;
  #calls = 0;
  #returned: Value;
  #exitCode = 0;
  #failure = 0;

  constructor(
    io: ProgramIo,
    program: AwkProgram,
    operands: readonly string[],
    assignments: readonly string[],
    separator: string | undefined,
  ) {
    super(io, program);
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
    for (const [slot, value] of initial) this.globals[slot] = value;
    const args: AwkArray = new Map([["0", "awk"]]);
    for (const [index, operand] of operands.entries()) args.set(String(index + 1), new InputText(latin(operand)));
    this.globals[ARGV] = args;
    this.globals[ENVIRON] = new Map(
      Object.entries(io.env).map(([name, value]) => [latin(name), new InputText(latin(value))]),
    );
    for (const assignment of assignments) this.assignArgument(latin(assignment));
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
        if (this.pace.isDue()) yield;
      }
    }
    for (const statement of end) if ((yield* this.#guarded(statement)) === "exit") break;
  }

  *#rules(rules: readonly Rule[]): Steps<Signal> {
    for (const rule of rules) {
      if (!(yield* this.#chooses(rule))) continue;
      if (rule.action === undefined) yield this.#streams.stdout.write(this.record() + this.text(this.globals[ORS]));
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
    if (last === undefined) return isTrue(yield* this.value(first));
    if (!this.#open.has(rule)) {
      if (!isTrue(yield* this.value(first))) return false;
      this.#open.add(rule);
    }
    if (isTrue(yield* this.value(last))) this.#open.delete(rule);
    return true;
  }

  /** Runs a rule's action; a signal of a function's ends it as one of its own. */
  *#guarded(statement: Statement): Steps<Signal> {
    try {
      return yield* this.#execute(statement);
    } catch (error) {
      if (!(error instanceof Jump)) throw error;
      this.locals = [];
      this.#calls = 0;
      return error.signal;
    }
  }

  *#execute(statement: Statement): Steps<Signal> {
    if (this.pace.isDue()) yield;
    switch (statement.kind) {
      case "expression":
        yield* this.value(statement.expression);
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
        if (isTrue(yield* this.value(statement.condition))) return yield* this.#execute(statement.whenTrue);
        return statement.otherwise === undefined ? undefined : yield* this.#execute(statement.otherwise);
      case "while":
        return yield* this.#loop(statement.condition, statement.body, undefined, statement.testsLast);
      case "for":
        if (statement.first !== undefined) yield* this.#execute(statement.first);
        return yield* this.#loop(statement.condition, statement.body, statement.step, false);
      case "forIn":
        return yield* this.#forIn(statement);
      case "delete": {
        const array = this.array(statement.array);
        const subscripts: Value[] = [];
        for (const one of statement.subscripts) subscripts.push(yield* this.value(one));
        if (subscripts.length === 0) for (const key of array.keys()) this.delete(array, key);
        else this.delete(array, this.subscript(subscripts));
        return undefined;
      }
      case "exit":
        if (statement.expression !== undefined)
          this.#exitCode = toNumber(yield* this.value(statement.expression)) & 0xff;
        return "exit";
      case "return":
        this.#returned = statement.expression === undefined ? undefined : yield* this.value(statement.expression);
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
      if (this.pace.isDue()) yield;
      if (!(isFirst && testsLast) && condition !== undefined && !isTrue(yield* this.value(condition))) return undefined;
      const signal = yield* this.#execute(body);
      if (signal === "break") return undefined;
      if (signal !== undefined && signal !== "continue") return signal;
      if (step !== undefined) yield* this.#execute(step);
    }
  }

  *#forIn({ name, array, body }: Extract<Statement, { kind: "forIn" }>): Steps<Signal> {
    const map = this.array(array);
    const keys = [...map.keys()];
    this.io.memory.take(keys.length * 8);
    let result: Signal;
    for (const key of keys) {
      if (!map.has(key)) continue;
      this.store(name, new InputText(key));
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
    for (const arg of args) values.push(yield* this.value(arg));
    let text: string;
    if (formatted) text = this.format(values);
    else {
      const format = this.text(this.globals[OFMT]);
      const shown = values.map((value) => toText(value, format));
      text =
        (args.length === 0 ? this.record() : shown.join(this.text(this.globals[OFS]))) + this.text(this.globals[ORS]);
    }
    if (to === undefined) {
      const written = this.#streams.stdout.write(text);
      if (written !== undefined) yield written;
      return;
    }
    const target = this.text(yield* this.value(to.target));
    const written = this.#streams.output(to.op, target).write(text);
    if (written !== undefined) yield written;
  }

  /* ---- Input ---- */
  #recordSeparator(): RecordSeparator {
    const text = this.text(this.globals[RS]);
    if (text.length === 1) return { kind: "character", char: text };
    return text === "" ? { kind: "paragraph" } : { kind: "regexp", regexp: this.compiled(text) };
  }

  /** Reads the next line of the operands into $0. */
  *#nextRecord(): Steps<boolean> {
    const line = yield* this.#nextLine();
    if (line === undefined) return false;
    this.setLine(line);
    if (line.length <= LONG_LINE) return true;
    const texts = yield* fieldsOf(line, this.separator());
    this.fieldBytes = texts.length * FIELD_BYTES;
    this.count(this.fieldBytes);
    const fields: Value[] = [];
    for (const text of texts) {
      fields.push(new InputText(text));
      if (this.pace.isDue()) yield;
    }
    this.fields = fields;
    this.globals[NF] = fields.length;
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
      this.globals[NR] = toNumber(this.globals[NR] as Value) + 1;
      this.globals[FNR] = toNumber(this.globals[FNR] as Value) + 1;
      return line;
    }
  }

  async #readRecord(): Promise<string | undefined> {
    try {
      return await this.#records?.next(this.#recordSeparator());
    } catch (error) {
      throw new AwkError(`cannot read ${this.text(this.globals[FILENAME])} (${errnoText(error)})`);
    }
  }

  /** Opens the next operand that is a file; operands that assign a variable do so. */
  #openNext(): boolean {
    const { io } = this;
    const args = this.array({ isLocal: false, slot: ARGV });
    for (;;) {
      const isLast = this.#nextArgument >= toNumber(this.globals[ARGC] as Value);
      if (isLast && this.#hasReadFile) return false;
      const operand = isLast ? "-" : this.text(args.get(String(this.#nextArgument)));
      this.#nextArgument += 1;
      if (operand === "" || (!isLast && this.assignArgument(operand))) continue;
      this.#hasReadFile = true;
      const path = unlatin(operand);
      if (path !== "-" && io.files.look(absolute(io.cwd, path)) === undefined)
        throw new AwkError(`cannot open ${path} (No such file or directory)`);
      const content = path === "-" ? io.stdin : io.files.read(absolute(io.cwd, path));
      this.#records = new RecordReader(new LineReader(content, io.memory, () => this.#streams.flush()));
      this.globals[FNR] = 0;
      this.globals[FILENAME] = isLast ? "" : operand;
      return true;
    }
  }

  protected override *getline(node: Expression): Steps<Value> {
    const { source } = node;
    const target = node.kids[source === "input" ? 0 : 1];
    let line: string | undefined;
    if (source === "input") line = yield* this.#nextLine();
    else {
      const name = this.text(yield* this.value(kid(node, 0)));
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
      if (source === "command") this.globals[NR] = toNumber(this.globals[NR] as Value) + Number(line !== undefined);
    }
    if (line === undefined) return 0;
    if (target === undefined) this.setLine(line);
    else this.set(target.isPure ? target : yield* this.settled(target), new InputText(line));
    return 1;
  }

  /* ---- Functions ---- */
  protected override *call(node: Expression): Steps<Value> {
    const called = this.program.functions[node.callee ?? -1];
    if (called?.body === undefined) throw new AwkError("function never defined");
    if (node.kids.length > called.parameters.length) throw new AwkError(`too many arguments in call to ${called.name}`);
    const locals: (Value | AwkArray)[] = [];
    for (const [index, arg] of node.kids.entries()) {
      if (called.arrays.has(index)) {
        if (arg.ref === undefined || arg.kind !== "name")
          throw new AwkError(`type error in arg(${index + 1}) in call to ${called.name}`);
        locals.push(this.array(arg.ref));
      } else if (arg.kind === "name" && arg.ref !== undefined && this.load(arg.ref) instanceof Map)
        locals.push(this.load(arg.ref));
      else locals.push(yield* this.value(arg));
    }
    if ((this.#calls += 1) > DEEPEST_CALL) throw new AwkError("function call nesting too deep");
    for (let index = locals.length; index < called.parameters.length; index += 1) locals.push(undefined);
    const passed = node.kids.length;
    const frame = ELEMENT_BYTES * (1 + locals.length);
    this.io.memory.take(frame);
    for (const local of locals) if (!(local instanceof Map)) this.count(bytesIn(local));
    const callers = this.locals;
    this.locals = locals;
    this.#returned = undefined;
    const signal = yield* this.#execute(called.body);
    this.locals = callers;
    this.#calls -= 1;
    this.io.memory.give(frame);
    for (const [index, local] of locals.entries()) {
      if (!(local instanceof Map)) this.count(-bytesIn(local));
      else if (index >= passed) for (const key of local.keys()) this.delete(local, key);
    }
    if (signal === "next" || signal === "nextfile" || signal === "exit") throw new Jump(signal);
    const returned = this.#returned;
    this.#returned = undefined;
    return returned;
  }

  protected override *control(node: Expression): Steps<Value> {
    const name = node.kids.length === 0 ? undefined : this.text(yield* this.value(kid(node, 0)));
    if (node.op === "system") return (yield* awaited(this.#streams.system(name ?? ""))).current;
    if (node.op === "close") return (yield* awaited(this.#streams.close(name ?? ""))).current;
    yield this.#streams.flush(name);
    return 0;
  }
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
