import type { Assigned } from "../assignment.js";
import { type BuiltinCall, builtinOptions } from "./builtin.js";
import { writePieces } from "./builtin-output.js";
import { CommandError } from "../control-flow.js";
import type { Shell } from "../shell.js";
import type { ShellArray } from "../variables.js";

const NAME = /^[A-Za-z_]\w*$/;
/** How much of a text is worked on at once, in UTF-16 units. */
const BLOCK = 64 * 1024;

/** export [-n] [-p] NAME[=VALUE]... */
export async function exportVariables(call: BuiltinCall): Promise<number> {
  const { shell, args, declarations } = call;
  const { flags, operands, unknown } = builtinOptions(args, "npf");
  // Functions of a shell are not those of the programs that it starts.
  if (flags.has("f")) throw new CommandError("export: -f: functions cannot be exported", 2, "export -f");
  if (unknown !== undefined) throw invalid("export", unknown);
  if (operands.length + declarations.length === 0)
    return writePieces(call, listing(shell, "export", shell.state.exported));
  for (const assigned of assignments(call, "export", operands)) {
    assigned.apply();
    if (flags.has("n")) shell.state.exported.delete(assigned.name);
    else shell.state.exported.add(assigned.name);
  }
  return 0;
}

/** readonly [-p] NAME[=VALUE]... */
export async function readonlyVariables(call: BuiltinCall): Promise<number> {
  const { shell, args, declarations } = call;
  const { operands, unknown } = builtinOptions(args, "paA");
  if (unknown !== undefined) throw invalid("readonly", unknown);
  if (operands.length + declarations.length === 0)
    return writePieces(call, listing(shell, "readonly", shell.state.constants));
  for (const assigned of assignments(call, "readonly", operands)) {
    assigned.apply();
    shell.state.constants.add(assigned.name);
  }
  return 0;
}

/** local [-aArx] NAME[=VALUE]... */
export async function localVariables(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const { flags, operands, unknown } = builtinOptions(args, "aArxg");
  if (unknown !== undefined) throw invalid("local", unknown);
  if (!shell.locals.isInFunction) throw new CommandError("local: can only be used in a function", 1);
  if (operands.includes("-")) throw new CommandError("local: -: not supported", 2, "local -");
  await declareEach(call, "local", flags, operands, true);
  return 0;
}

/** declare [-aAgrxpfF] NAME[=VALUE]..., local in a function unless -g. */
export async function declareVariables(call: BuiltinCall): Promise<number> {
  const { shell, args, declarations } = call;
  const { flags, operands, unknown } = builtinOptions(args, "aAgrxpfF");
  if (unknown !== undefined) throw invalid("declare", unknown);
  if (flags.has("f") || flags.has("F")) {
    const names = operands.length === 0 ? [...shell.state.functions.keys()].sort() : operands;
    const known = names.filter((name) => shell.state.functions.has(name));
    if (flags.has("f")) return known.length === names.length ? 0 : 1;
    await writePieces(
      call,
      known.map((name) => (operands.length === 0 ? `declare -f ${name}\n` : `${name}\n`)),
    );
    return known.length === names.length ? 0 : 1;
  }
  if (flags.has("p") || operands.length + declarations.length === 0) {
    const names = operands.length === 0 ? [...shell.state.variables.names()].sort() : operands;
    const known = names.filter((name) => shell.state.variables.has(name));
    await writePieces(call, declared(shell, known));
    for (const name of names) if (!known.includes(name)) throw new CommandError(`declare: ${name}: not found`, 1);
    return 0;
  }
  await declareEach(call, "declare", flags, operands, shell.locals.isInFunction && !flags.has("g"));
  return 0;
}

async function declareEach(
  call: BuiltinCall,
  builtin: string,
  flags: ReadonlySet<string>,
  operands: readonly string[],
  isLocal: boolean,
): Promise<void> {
  const { shell } = call;
  const { variables, constants, exported } = shell.state;
  for (const assigned of assignments(call, builtin, operands, isLocal)) {
    assigned.apply();
    if (flags.has("r")) constants.add(assigned.name);
    if (flags.has("x")) exported.add(assigned.name);
    if (!flags.has("a") && !flags.has("A")) continue;
    if (variables.array(assigned.name) === undefined) variables.setArray(assigned.name, flags.has("A"), []);
  }
}

/** What is assigned to each name: of operands, then of assignments, whose values are expanded before the first one is set. */
function assignments(
  { shell, declarations }: BuiltinCall,
  builtin: string,
  operands: readonly string[],
  isLocal = false,
): readonly Assigned[] {
  const all: Assigned[] = [];
  const prepare = (name: string): void => {
    if (isLocal && shell.locals.declare(name) && !shell.state.constants.has(name)) shell.state.variables.delete(name);
  };
  for (const operand of operands) {
    const [, name = operand, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(operand) ?? [];
    if (!NAME.test(name)) throw new CommandError(`${builtin}: ${operand}: bad variable name`);
    all.push({
      name,
      text: value ?? "",
      apply() {
        prepare(name);
        if (value !== undefined) shell.assign(name, value);
      },
    });
  }
  for (const declaration of declarations) {
    all.push({
      ...declaration,
      apply() {
        prepare(declaration.name);
        declaration.apply();
      },
    });
  }
  return all;
}

const invalid = (builtin: string, option: string): CommandError =>
  new CommandError(`${builtin}: ${option}: invalid option`, 2, `${builtin} ${option}`);

/** unset [-v] [-f] NAME... */
export function unset({ shell, args }: BuiltinCall): number {
  const { flags, operands } = builtinOptions(args, "vf");
  const { variables, exported, functions } = shell.state;
  for (const operand of operands) {
    const [, array, key = ""] = /^([A-Za-z_]\w*)\[([^]*)\]$/.exec(operand) ?? [];
    if (array !== undefined) {
      variables.deleteElement(array, key.replace(/^(['"])(.*)\1$/s, "$2"));
    } else if (flags.has("f") || (!flags.has("v") && !variables.has(operand) && functions.has(operand))) {
      shell.undefine(operand);
    } else {
      shell.refuseConstant(operand);
      variables.delete(operand);
      exported.delete(operand);
    }
  }
  return 0;
}

/** The variables of a set as commands that set them again. */
function* listing(shell: Shell, command: string, names: ReadonlySet<string>): Generator<string, void> {
  for (const name of [...names].sort()) {
    const value = shell.state.variables.get(name);
    yield `${command} ${name}`;
    if (value === undefined) {
      yield "\n";
      continue;
    }
    yield "='";
    yield* escapedBlocks(value);
    yield "'\n";
  }
}

function* escapedBlocks(value: string): Generator<string, void> {
  for (let at = 0; at < value.length; at += BLOCK) yield value.slice(at, at + BLOCK).replaceAll("'", `'"'"'`);
}

/** All variables in the format of `set`. */
export function* settings(shell: Shell): Generator<string, void> {
  for (const name of [...shell.state.variables.names()].sort()) {
    yield `${name}='`;
    yield* escapedBlocks(shell.state.variables.get(name) ?? "");
    yield "'\n";
  }
}

function* declared(shell: Shell, names: readonly string[]): Generator<string, void> {
  const { variables, exported, constants } = shell.state;
  for (const name of names) {
    const array = variables.array(name);
    const letters = `${kindOf(array)}${constants.has(name) ? "r" : ""}${exported.has(name) ? "x" : ""}`;
    yield `declare -${letters || "-"} ${name}=`;
    if (array === undefined) yield doubleQuoted(variables.get(name) ?? "");
    else {
      yield "(";
      const last = array.elements.size - 1;
      let index = 0;
      for (const [key, value] of array.elements) {
        const between = array.isAssociative || index < last ? " " : "";
        yield `[${key}]=${doubleQuoted(value)}${between}`;
        index += 1;
      }
      yield ")";
    }
    yield "\n";
  }
}

const kindOf = (array: ShellArray | undefined): string => (array === undefined ? "" : array.isAssociative ? "A" : "a");

const doubleQuoted = (text: string): string => `"${text.replace(/["\\$`]/g, "\\$&")}"`;
