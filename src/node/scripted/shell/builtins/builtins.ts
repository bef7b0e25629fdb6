import { dictionary } from "../../../../base/collections/dictionary.js";
import { atOnce } from "../../../../base/async/steps.js";
import { absolute, LONGEST_PATH, normalPath } from "../../files/file-system.js";
import { expandArithmetic } from "../expansion/expand.js";
import { type Builtin, type BuiltinCall, builtinOptions } from "./builtin.js";
import { alias, unalias, commandNames, hash, typeOf } from "./builtin-names.js";
import { kill, listJobs, trap, wait } from "./builtin-jobs.js";
import { getopts, set, shopt } from "./builtin-options.js";
import { echoPieces, writePieces, writeText } from "./builtin-output.js";
import { mapFile, readLine } from "./builtin-read.js";
import { declareVariables, exportVariables, localVariables, readonlyVariables, unset } from "./builtin-variables.js";
import { CommandError, ExitShell, FatalError, LeaveLoop, ReturnFromScript } from "../control-flow.js";
import { LARGEST_VALUE, outOfSpace } from "../expansion/growing-value.js";
import { printf } from "./printf.js";
import type { Shell } from "../shell.js";
import { isSet } from "../condition.js";
import { ConditionError, condition } from "./test-condition.js";

export { echoPieces, writeText };

const isBuiltin = (name: string): boolean => BUILTINS[name] !== undefined;

/** The builtins by name. */
export const BUILTINS: Readonly<Record<string, Builtin>> = dictionary<string, Builtin>({
  ":": () => 0,
  true: () => 0,
  false: () => 1,
  exit: ({ shell, args }) => {
    throw new ExitShell(exitCode("exit", args[0], shell.state.status));
  },
  return: ({ shell, args }) => {
    throw new ReturnFromScript(exitCode("return", args[0], shell.state.status));
  },
  break: ({ args }) => {
    throw new LeaveLoop("break", Number(args[0] ?? 1));
  },
  continue: ({ args }) => {
    throw new LeaveLoop("continue", Number(args[0] ?? 1));
  },
  cd: changeDirectory,
  pwd: (call) => writePieces(call, [`${call.shell.cwd}\n`]),
  echo: (call) => writePieces(call, echoPieces(call.args, call.shell.call.isBash)),
  printf: printFormatted,
  export: exportVariables,
  readonly: readonlyVariables,
  local: localVariables,
  declare: declareVariables,
  typeset: declareVariables,
  unset,
  alias,
  unalias,
  set,
  shopt,
  getopts,
  async shift({ shell, args }) {
    const count = Number(args[0] ?? 1);
    if (count > shell.positional.length && shell.call.isBash) return 1;
    if (count > shell.positional.length) throw new FatalError("shift: can't shift that many");
    await shell.setPositional(shell.positional.slice(count));
    return 0;
  },
  read: readLine,
  mapfile: mapFile,
  readarray: mapFile,
  let: async ({ shell, args }) => {
    let value = 0n;
    for (const text of args) value = await expandArithmetic([{ kind: "text", text, quoted: true }], shell);
    return value === 0n ? 1 : 0;
  },
  test: (call) => evaluate(call, call.args),
  "[": (call) => {
    if (call.args.at(-1) !== "]") throw new CommandError("[: missing ]");
    return evaluate(call, call.args.slice(0, -1));
  },
  eval: ({ shell, args, streams, tested, line }) =>
    shell.runScript(joined(args), streams, { caller: "eval", tested, firstLine: line }),
  ".": source,
  source,
  exec: execute,
  trap,
  wait,
  kill,
  jobs: listJobs,
  disown: () => 0,
  type: (call) => typeOf(call, isBuiltin),
  hash: (call) => hash(call, isBuiltin),
  command: (call) => runCommand(call),
  builtin(call) {
    const [name = "", ...args] = call.args;
    const builtin = BUILTINS[name];
    if (builtin === undefined) throw new CommandError(`builtin: ${name}: not a shell builtin`, 1);
    return builtin({ ...call, args });
  },
  umask(call) {
    const { shell, args } = call;
    const [mask] = args;
    if (mask === undefined) return writePieces(call, [`${shell.umask.toString(8).padStart(4, "0")}\n`]);
    if (!/^[0-7]{1,4}$/.test(mask)) throw new CommandError(`umask: Illegal mode: ${mask}`, 2, "umask with symbols");
    shell.umask = Number.parseInt(mask, 8);
    return 0;
  },
  /** No limit of a container is one of a process. */
  ulimit: (call) => (call.args.some((arg) => !arg.startsWith("-")) ? 0 : writePieces(call, ["unlimited\n"])),
});

/** So much of an argument is in what is said of it. */
const LONGEST_SHOWN = 256;

function exitCode(builtin: string, text: string | undefined, status: number): number {
  if (text === undefined) return status;
  if (!/^\d+$/.test(text)) throw new CommandError(`${builtin}: Illegal number: ${text}`);
  return Number(text) & 0xff;
}

async function printFormatted(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words[0] !== "-v") {
    let invalid: string | undefined;
    const pieces = printf(words[0] ?? "", words.slice(1), (text) => (invalid ??= text));
    await writePieces(call, pieces);
    if (invalid === undefined) return 0;
    await shell.complain(`printf: ${invalid.slice(0, LONGEST_SHOWN)}: expected numeric value`, call.streams, call.line);
    return 1;
  }
  const [, name = "", format = "", ...values] = words;
  let value = "";
  for (const piece of printf(format, values)) {
    value += piece;
    shell.take(piece.length);
    if (value.length > LARGEST_VALUE) throw outOfSpace();
  }
  const [, array, key = ""] = /^([A-Za-z_]\w*)\[(.*)\]$/s.exec(name) ?? [];
  if (array === undefined) shell.assign(name, value);
  else shell.assignElement(array, key, value);
  return 0;
}

/** The words of eval as one script. */
function joined(args: readonly string[]): string {
  let length = 0;
  for (const arg of args) length += arg.length + 1;
  if (length > LARGEST_VALUE) throw outOfSpace();
  return args.join(" ");
}

/** . FILE [ARGUMENT...]: a name without a slash is looked for in PATH as well. */
async function source({ shell, args, streams, tested }: BuiltinCall): Promise<number> {
  const [name = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  const path = sourcePath(shell, name);
  if (path === undefined) {
    shell.lacksScript(name);
    throw new CommandError(`.: cannot open ${name}: No such file`);
  }
  const content = await shell.files.whole(path, LARGEST_VALUE);
  if (content === undefined) throw outOfSpace();
  const outer = shell.positional;
  if (values.length > 0) await shell.setPositional(values);
  try {
    return await shell.runScript(content.toString("utf8"), streams, { caller: ".", script: name, tested });
  } catch (error) {
    if (error instanceof ReturnFromScript) return error.code;
    throw error;
  } finally {
    if (values.length > 0) await shell.setPositional(outer);
  }
}

function sourcePath(shell: Shell, name: string): string | undefined {
  const folders = name.includes("/") ? [] : (shell.parameter("PATH") ?? "").split(":");
  const paths = [...folders.map((folder) => `${folder}/${name}`), name].map((path) => absolute(shell.cwd, path));
  return paths.find((path) => {
    const node = shell.files.look(path);
    return node !== undefined && node.kind !== "directory" && (node.kind !== "file" || node.program === undefined);
  });
}

/** exec [-c] [-a NAME] PROGRAM...: the program in the place of the shell. */
async function execute({ shell, args, streams, line }: BuiltinCall): Promise<number> {
  const { flags, operands } = builtinOptions(args, "cl", "a");
  if (operands.length === 0) return 0;
  throw new ExitShell(await shell.spawn(operands, streams, flags.has("c") ? {} : shell.environment, line));
}

/** command [-p] NAME..., without functions; -v and -V say what a name is. */
async function runCommand(call: BuiltinCall): Promise<number> {
  const { shell, streams, line } = call;
  const { flags, operands } = builtinOptions(call.args, "pvV");
  if (flags.has("v") || flags.has("V")) return commandNames(call, flags.has("V"), operands, isBuiltin);
  const [name, ...args] = operands;
  if (name === undefined) return 0;
  const builtin = BUILTINS[name];
  return builtin === undefined ? shell.spawn(operands, streams, shell.environment, line) : builtin({ ...call, args });
}

async function changeDirectory(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const { operands } = builtinOptions(args, "LP");
  const [given] = operands;
  const target = given === "-" ? (shell.parameter("OLDPWD") ?? "") : (given ?? shell.parameter("HOME") ?? "/");
  const path = target.length > LONGEST_PATH ? target : normalPath(shell.cwd, target);
  const node = shell.files.look(path);
  if (node?.kind !== "directory") throw new CommandError(`cd: can't cd to ${target}`);
  shell.assign("OLDPWD", shell.cwd);
  shell.state.cwd = path;
  shell.assign("PWD", path);
  return given === "-" ? writePieces(call, [`${path}\n`]) : 0;
}

/** A condition of so many operands is decided at once. */
const FEW_OPERANDS = 16;

async function evaluate({ shell, args }: BuiltinCall, operands: readonly string[]): Promise<number> {
  const [operator, name = ""] = operands;
  if (operator === "-v" && operands.length === 2) return isSet(name, shell) ? 0 : 1;
  try {
    const work = condition(operands, shell.files, shell.cwd, shell.io.terminal !== undefined);
    const holds = operands.length <= FEW_OPERANDS ? atOnce(work) : await shell.inSlices(work);
    return holds ? 0 : 1;
  } catch (error) {
    if (error instanceof ConditionError)
      throw new CommandError(`${args === operands ? "test" : "["}: ${error.message}`);
    throw error;
  }
}
