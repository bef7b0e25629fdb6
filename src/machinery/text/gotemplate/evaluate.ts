import { byteLength } from "../../../base/text/byte-text.js";
import { goQuote } from "../../../base/text/go-quote.js";
import {
  boxed,
  concrete,
  type GoValue,
  invalid,
  isTrue,
  nilInterface,
  typeName,
  unboxed,
  canRange,
  isCount,
  type RangeStep,
  rangeSteps,
} from "./values.js";
import { sprint } from "./format-value.js";
import { callOfNoFunction, findFunction, type ParameterType, type TemplateFunction } from "./functions.js";
import type { JsonObject } from "../../meta/json.js";
import type {
  BranchNode,
  ChainNode,
  CommandNode,
  FieldNode,
  IdentifierNode,
  Node,
  NumberNode,
  Operand,
  PipeNode,
  TemplateNode,
  VariableNode,
} from "./nodes.js";
import { formatNode } from "./nodes.js";
import type { TemplateSet } from "./parser.js";
import { Variables } from "./variables.js";
import { FunctionError, TemplateError } from "./template-error.js";

/** One execution of a template: the state that all its templates share. */
export interface Run {
  readonly set: TemplateSet;
  /** The text all of them were parsed from, for places in messages. */
  readonly text: string;
  /** The name messages show for it. */
  readonly name: string;
  /** A missing key is an error rather than no value. */
  readonly missingKeyIsError: boolean;
  readonly out: (text: string) => void;
}

/** Executes the template of this name with data, and writes its output as it proceeds. Throws {@link TemplateError}. */
export function evaluate(run: Run, name: string, data: JsonObject): void {
  const dot: GoValue = concrete(data) ?? invalid;
  const calls: Evaluation[] = [];
  try {
    new Evaluation(run, name, dot, calls).walk(run.set.get(name) ?? [], dot);
  } catch (error) {
    // Templates that call each other without end: Go stops at a depth that would not fit on the stack here.
    if (error instanceof RangeError && calls.length > 0) throw calls.at(-1)?.tooDeep();
    throw error;
  }
}

type Jump = "break" | "continue" | undefined;

/** What stands for itself. */
type ConstantNode = Extract<Operand, { kind: "bool" | "dot" | "nil" | "number" | "string" }>;

/** What is evaluated last: messages show its text and place. */
type Place = Node | CommandNode | Operand;

/** One template at work on one value. */
class Evaluation {
  readonly #run: Run;
  readonly #name: string;
  readonly #calls: Evaluation[];
  readonly #variables: Variables;
  #place: Place | undefined;

  constructor(run: Run, name: string, dot: GoValue, calls: Evaluation[]) {
    this.#run = run;
    this.#name = name;
    this.#calls = calls;
    this.#variables = new Variables(dot);
  }

  tooDeep(): TemplateError {
    return this.#error("exceeded maximum template depth (100000)");
  }

  walk(nodes: readonly Node[], dot: GoValue): Jump {
    for (const node of nodes) {
      const jump = this.#walkOne(node, dot);
      if (jump !== undefined) return jump;
    }
    return undefined;
  }

  #walkOne(node: Node, dot: GoValue): Jump {
    this.#place = node;
    switch (node.kind) {
      case "text":
        this.#run.out(node.text);
        return undefined;
      case "action": {
        const value = this.#pipe(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#print(value);
        return undefined;
      }
      case "break":
      case "continue":
        return node.kind;
      case "if":
      case "with":
        return this.#scoped(() => this.#branch(node, dot));
      case "range":
        return this.#scoped(() => this.#range(node, dot));
      case "template":
        this.#template(node, dot);
        return undefined;
    }
  }

  #print(value: GoValue): void {
    this.#run.out(value.kind === "invalid" ? "<no value>" : sprint([value]));
  }

  /** Forgets the variables that were declared meanwhile. */
  #scoped<T>(walk: () => T): T {
    const outside = this.#variables.count;
    const result = walk();
    this.#variables.truncate(outside);
    return result;
  }

  #branch(node: BranchNode, dot: GoValue): Jump {
    const value = this.#pipe(node.pipe, dot);
    if (isTrue(value)) return this.walk(node.body, node.kind === "with" ? value : dot);
    return this.walk(node.otherwise ?? [], dot);
  }

  #range(node: BranchNode, dot: GoValue): Jump {
    const { variables } = node.pipe;
    const value = unboxed(this.#pipe(node.pipe, dot));
    if (!canRange(value)) throw this.#error(`range can't iterate over ${sprint([value])}`);
    if (isCount(value.kind) && variables.length > 1) {
      throw this.#error(`can't use ${sprint([value])} to iterate over more than one variable`);
    }
    let ran = false;
    for (const step of rangeSteps(value)) {
      ran = true;
      const jump = this.#scoped(() => {
        this.#setRangeVariables(node.pipe, step);
        return this.walk(node.body, step[1]);
      });
      if (jump === "break") break;
    }
    return ran ? undefined : this.walk(node.otherwise ?? [], dot);
  }

  /** A single variable takes the item. */
  #setRangeVariables({ variables, assigns }: PipeNode, [key, item]: RangeStep): void {
    const values = [key, item].slice(2 - variables.length);
    // The range has declared its own: they are on top.
    if (!assigns) this.#variables.setNewest(values);
    else for (const [index, { name }] of variables.entries()) this.#assign(name, values[index] ?? invalid);
  }

  #template(node: TemplateNode, dot: GoValue): void {
    const nodes = this.#run.set.get(node.name);
    if (nodes === undefined) throw this.#error(`template ${goQuote(node.name)} not defined`);
    const value = node.pipe === undefined ? invalid : this.#pipe(node.pipe, dot);
    this.#place = node;
    this.#calls.push(this);
    new Evaluation(this.#run, node.name, value, this.#calls).walk(nodes, value);
    this.#calls.pop();
  }

  #pipe(pipe: PipeNode, dot: GoValue): GoValue {
    this.#place = pipe;
    let value: GoValue | undefined;
    for (const command of pipe.commands) value = unboxed(this.#command(command, dot, value));
    const result = value ?? invalid;
    for (const { name } of pipe.variables) {
      if (pipe.assigns) this.#assign(name, result);
      else this.#variables.declare(name, result);
    }
    return result;
  }

  #assign(name: string, value: GoValue): void {
    const variable = this.#variables.find(name);
    if (variable === undefined) throw this.#error(`undefined variable: ${name}`);
    variable.value = value;
  }

  /** `final` is what the command before gave; undefined for the first. */
  #command(command: CommandNode, dot: GoValue, final: GoValue | undefined): GoValue {
    const [first, ...args] = command.words;
    const input: Input = { command, args, final };
    switch (first.kind) {
      case "field":
        return this.#field(first, dot, input);
      case "chain":
        return this.#chain(first, dot, input);
      case "identifier":
        return this.#function(first, dot, input);
      case "pipe":
        this.#refuseArguments(first, input);
        return this.#pipe(first, dot);
      case "variable":
        return this.#variableFields(first, input);
      case "bool":
      case "dot":
      case "nil":
      case "number":
      case "string":
        this.#place = first;
        this.#refuseArguments(first, input);
        return this.#constant(first, dot);
    }
  }

  #refuseArguments(word: Operand, { args, final }: Input): void {
    if (args.length > 0 || final !== undefined) {
      throw this.#error(`can't give argument to non-function ${formatNode(word)}`);
    }
  }

  #constant(word: ConstantNode, dot: GoValue): GoValue {
    switch (word.kind) {
      case "bool":
        return { kind: "bool", value: word.value };
      case "dot":
        return dot;
      case "nil":
        throw this.#error("nil is not a command");
      case "number":
        return this.#number(word);
      case "string":
        return { kind: "string", value: word.text };
    }
  }

  #number(node: NumberNode): GoValue {
    this.#place = node;
    if (node.number.kind === "overflow") throw this.#error(`${node.text} overflows int`);
    return node.number;
  }

  #field(node: FieldNode, dot: GoValue, input: Input): GoValue {
    this.#place = node;
    return this.#fields(dot, node.fields, input);
  }

  #chain(node: ChainNode, dot: GoValue, input: Input): GoValue {
    this.#place = node;
    return this.#fields(this.#argument(node.of, dot, undefined), node.fields, input);
  }

  #variableFields(node: VariableNode, input: Input): GoValue {
    this.#place = node;
    const value = this.#variables.find(node.name)?.value ?? invalid;
    if (node.fields.length > 0) return this.#fields(value, node.fields, input);
    this.#refuseArguments(node, input);
    return value;
  }

  #fields(receiver: GoValue, fields: readonly string[], input: Input): GoValue {
    let value = receiver;
    for (const [index, field] of fields.entries()) {
      value = this.#oneField(value, field, index === fields.length - 1 ? input : noInput);
    }
    return value;
  }

  #oneField(receiver: GoValue, field: string, { args, final }: Input): GoValue {
    if (receiver.kind === "invalid") {
      if (this.#run.missingKeyIsError) throw this.#error(`nil data; no entry for key ${goQuote(field)}`);
      return invalid;
    }
    const held = unboxed(receiver);
    if (held.kind === "invalid") throw this.#error(`nil pointer evaluating interface {}.${field}`);
    if (held.kind !== "map") throw this.#error(`can't evaluate field ${field} in type ${typeName(receiver)}`);
    if (args.length > 0 || final !== undefined) throw this.#error(`${field} is not a method but has arguments`);
    const value = Object.hasOwn(held.entries, field) ? held.entries[field] : undefined;
    if (value !== undefined) return boxed(value);
    if (this.#run.missingKeyIsError) throw this.#error(`map has no entry for key ${goQuote(field)}`);
    return invalid;
  }

  #function(node: IdentifierNode, dot: GoValue, input: Input): GoValue {
    this.#place = node;
    const found = findFunction(node.name);
    if (found === undefined) throw this.#error(`${goQuote(node.name)} is not a defined function`);
    this.#checkCount(node.name, found, input);
    if (node.name === "and" || node.name === "or") return this.#decide(node.name === "or", dot, input);
    const values = this.#arguments(found, dot, input);
    try {
      if (node.name === "call") throw callOfNoFunction(values[0] ?? invalid, nameOfCalled(input));
      return found.call(values);
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      this.#place = input.command ?? node;
      throw this.#error(`error calling ${node.name}: ${error.message}`);
    }
  }

  #checkCount(name: string, { parameters, rest }: TemplateFunction, { args, final }: Input): void {
    const given = args.length + (final === undefined ? 0 : 1);
    const wanted = parameters.length;
    if (rest === undefined && given !== wanted) {
      throw this.#error(`wrong number of args for ${name}: want ${wanted} got ${given}`);
    }
    if (rest !== undefined && given < wanted) {
      throw this.#error(`wrong number of args for ${name}: want at least ${wanted} got ${args.length}`);
    }
  }

  /** `and` and `or` evaluate no further than to what decides. */
  #decide(on: boolean, dot: GoValue, { args, final }: Input): GoValue {
    let value: GoValue = invalid;
    for (const arg of args) {
      value = this.#argument(arg, dot, "value");
      if (isTrue(value) === on) return value;
    }
    return final ?? value;
  }

  #arguments({ parameters, rest = "value" }: TemplateFunction, dot: GoValue, { args, final }: Input): GoValue[] {
    const values = args.map((arg, index) => this.#argument(arg, dot, parameters[index] ?? rest));
    if (final !== undefined) values.push(this.#convert(final, parameters[values.length] ?? rest));
    return values;
  }

  #argument(node: Operand, dot: GoValue, type: ParameterType | undefined): GoValue {
    this.#place = node;
    switch (node.kind) {
      case "dot":
        return this.#convert(dot, type);
      case "nil":
        if (type === "string") throw this.#error("cannot assign nil to string");
        return type === "any" ? nilInterface : invalid;
      case "field":
        return this.#convert(this.#field(node, dot, noInput), type);
      case "variable":
        return this.#convert(this.#variableFields(node, noInput), type);
      case "pipe":
        return this.#convert(this.#pipe(node, dot), type);
      case "identifier":
        return this.#convert(this.#function(node, dot, noInput), type);
      case "chain":
        return this.#convert(this.#chain(node, dot, noInput), type);
      case "bool":
      case "number":
      case "string":
        if (type === "string" && node.kind !== "string")
          throw this.#error(`expected string; found ${formatNode(node)}`);
        return this.#constant(node, dot);
    }
  }

  /** Makes a value one of a parameter's type. */
  #convert(value: GoValue, type: ParameterType | undefined): GoValue {
    if (type === "any") return value.kind === "invalid" ? nilInterface : value;
    if (type !== "string") return value;
    if (value.kind === "invalid") throw this.#error("invalid value; expected string");
    const held = unboxed(value);
    if (held.kind === "string") return held;
    throw this.#error(`wrong type for value; expected string; got ${typeName(held.kind === "invalid" ? value : held)}`);
  }

  #error(message: string): TemplateError {
    const { text, name } = this.#run;
    const place = this.#place;
    if (place === undefined) return new TemplateError(`template: ${this.#name}: ${message}`);
    const before = text.slice(0, place.at);
    const lines = before.split("\n");
    const location = `${name}:${lines.length}:${byteLength(lines.at(-1) ?? "")}`;
    const context = `executing ${goQuote(this.#name)} at <${formatNode(place)}>`;
    return new TemplateError(`template: ${location}: ${context}: ${message}`);
  }
}

/** What goes into a word of a command besides itself. */
interface Input {
  /** The whole command, when the word is its first. */
  readonly command?: CommandNode;
  readonly args: readonly Operand[];
  readonly final: GoValue | undefined;
}

const noInput: Input = { args: [], final: undefined };

/** How `call` names what it was to call: as written, or when that came through a pipe by its text. */
function nameOfCalled({ args, final }: Input): string {
  const [first] = args;
  if (first !== undefined) return formatNode(first);
  const held = final === undefined ? undefined : unboxed(final);
  if (held === undefined || held.kind === "invalid") return "<invalid Value>";
  return held.kind === "string" ? held.value : `<${typeName(held)} Value>`;
}
