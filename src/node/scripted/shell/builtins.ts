import { Pace } from "../../../base/pace.js";
import { atOnce, type Steps } from "../../../base/steps.js";
import { sliceIsSpent } from "../../../base/time-slice.js";
import { FileError } from "../files/file-error.js";
import { absolute, LONGEST_PATH, normalPath } from "../files/file-system.js";
import type { OutputTarget } from "../program.js";
import { signalNamed } from "../signals.js";
import { giveWay, type SliceOwner } from "../slices.js";
import { bytesOf } from "./byte-text.js";
import { CommandError, ExitShell, LeaveLoop } from "./control-flow.js";
import { GrowingValue, LARGEST_VALUE, outOfSpace } from "./growing-value.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import { printf, unescaped } from "./printf.js";
import { ConditionError, condition } from "./test-condition.js";

interface Call {
  readonly shell: Shell;
  readonly args: readonly string[];
  readonly streams: ShellStreams;
  readonly line: number;
}

/** What the shell does itself. Resolves with the exit code. */
type Builtin = (call: Call) => number | Promise<number>;

/** The builtins by name. */
export const BUILTINS: Readonly<Record<string, Builtin>> = {
  __proto__: null as never,
  ":": () => 0,
  true: () => 0,
  false: () => 1,
  exit: ({ shell, args }) => {
    throw new ExitShell(exitCode(args[0], shell.state.status));
  },
  return: ({ shell, args }) => {
    throw new ExitShell(exitCode(args[0], shell.state.status));
  },
  break: ({ args }) => {
    throw new LeaveLoop("break", Number(args[0] ?? 1));
  },
  continue: ({ args }) => {
    throw new LeaveLoop("continue", Number(args[0] ?? 1));
  },
  cd: changeDirectory,
  pwd: (call) => write(call, `${call.shell.cwd}\n`),
  echo: (call) => writePieces(call, echoPieces(call.args)),
  printf: (call) => writePieces(call, printf(call.args[0] ?? "", call.args.slice(1))),
  export: exportVariables,
  unset({ shell, args }) {
    for (const name of args) {
      shell.state.variables.delete(name);
      shell.state.exported.delete(name);
    }
    return 0;
  },
  async set({ shell, args }) {
    for (const [index, arg] of args.entries()) {
      if (arg === "--" || !/^[-+]/.test(arg)) {
        await shell.setPositional(args.slice(arg === "--" ? index + 1 : index));
        return 0;
      }
      if (arg.includes("e")) shell.state.exitsOnError = arg.startsWith("-");
    }
    return 0;
  },
  async shift({ shell, args }) {
    const count = Number(args[0] ?? 1);
    if (count > shell.positional.length) throw new CommandError("shift: can't shift that many");
    await shell.setPositional(shell.positional.slice(count));
    return 0;
  },
  read: readLine,
  test: (call) => evaluate(call, call.args),
  "[": (call) => {
    if (call.args.at(-1) !== "]") throw new CommandError("[: missing ]");
    return evaluate(call, call.args.slice(0, -1));
  },
  eval: ({ shell, args, streams }) => shell.runScript(joined(args), streams, "eval"),
  ".": ({ shell, args, streams }) => {
    const path = absolute(shell.cwd, args[0] ?? "");
    if (shell.files.look(path) === undefined) throw new CommandError(`.: cannot open ${args[0] ?? ""}: No such file`);
    return shell.runScript(scriptOf(shell.files.content(path, LARGEST_VALUE)), streams, ".");
  },
  async exec({ shell, args, streams, line }) {
    if (args.length === 0) return 0;
    throw new ExitShell(await shell.spawn(args, streams, shell.environment, line));
  },
  trap({ shell, args }) {
    const [action = "", ...signals] = args;
    for (const text of signals) {
      const name = text === "EXIT" || text === "0" ? "EXIT" : signalNamed(text);
      if (name === undefined) throw new CommandError(`trap: ${text}: bad trap`);
      shell.trap(name, action === "-" ? undefined : action);
    }
    return 0;
  },
  wait: ({ shell, args }) => shell.waitForJobs(args[0] === undefined ? undefined : Number(args[0])),
  async command({ shell, args, streams, line }) {
    if (args[0] !== "-v") return shell.spawn(args, streams, shell.environment, line);
    const name = args[1] ?? "";
    const path = BUILTINS[name] === undefined ? pathOf(shell, name) : name;
    if (path === undefined) return 127;
    await streams.stdout(Buffer.from(`${path}\n`), shell.io.signal);
    return 0;
  },
};

function exitCode(text: string | undefined, status: number): number {
  if (text === undefined) return status;
  if (!/^\d+$/.test(text)) throw new CommandError(`exit: Illegal number: ${text}`);
  return Number(text) & 0xff;
}

async function write({ shell, streams }: Call, text: string): Promise<number> {
  await streams.stdout(bytesOf(text), shell.io.signal);
  return 0;
}

async function writePieces({ shell, streams }: Call, pieces: Iterable<string>): Promise<number> {
  await writeText(pieces, streams.stdout, shell.io);
  return 0;
}

/** A text is written when so much of it has come, in UTF-16 units. */
const WRITTEN_AT_ONCE = 32 * 1024;
const PIECES_PER_STEP = 64;

/** Writes the bytes of a text that comes in pieces. */
export async function writeText(pieces: Iterable<string>, write: OutputTarget, owner: SliceOwner): Promise<void> {
  const pace = new Pace(PIECES_PER_STEP);
  let text = "";
  let isWritten = false;
  for (const piece of pieces) {
    text += piece;
    if (text.length >= WRITTEN_AT_ONCE) {
      await write(bytesOf(text), owner.signal);
      text = "";
      isWritten = true;
    }
    if (pace.isDue() && sliceIsSpent()) await giveWay(owner);
  }
  if (text !== "" || !isWritten) await write(bytesOf(text), owner.signal);
}

/** `echo` of the shell: -n, and escapes as dash has them. */
export function* echoPieces(args: readonly string[]): Generator<string, void> {
  const bare = args[0] === "-n";
  for (const [index, arg] of args.entries()) {
    if (bare && index === 0) continue;
    if (index > (bare ? 1 : 0)) yield " ";
    yield* unescaped(arg);
  }
  if (!bare) yield "\n";
}

/** The words of eval as one script. */
function joined(args: readonly string[]): string {
  let length = 0;
  for (const arg of args) length += arg.length + 1;
  if (length > LARGEST_VALUE) throw outOfSpace();
  return args.join(" ");
}

function scriptOf(content: Buffer | undefined): string {
  if (content === undefined) throw outOfSpace();
  return content.toString("utf8");
}

function changeDirectory({ shell, args }: Call): number {
  const target = args[0] === "-" ? (shell.parameter("OLDPWD") ?? "") : (args[0] ?? shell.parameter("HOME") ?? "/");
  const path = target.length > LONGEST_PATH ? target : normalPath(shell.cwd, target);
  const node = shell.files.look(path);
  if (node?.kind !== "directory") throw new CommandError(`cd: can't cd to ${target}`);
  shell.assign("OLDPWD", shell.cwd);
  shell.state.cwd = path;
  shell.assign("PWD", path);
  return 0;
}

async function exportVariables(call: Call): Promise<number> {
  const { shell, args } = call;
  if (args.length === 0 || args[0] === "-p") {
    return writePieces(call, exportLines(shell.environment));
  }
  for (const arg of args) {
    const [, name = arg, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(arg) ?? [];
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new CommandError(`export: ${arg}: bad variable name`);
    if (value !== undefined) shell.assign(name, value);
    shell.state.exported.add(name);
  }
  return 0;
}

function* exportLines(environment: Readonly<Record<string, string>>): Generator<string, void> {
  for (const [name, value] of Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield `export ${name}='`;
    for (let at = 0; at < value.length; at += BLOCK) yield value.slice(at, at + BLOCK).replaceAll("'", `'"'"'`);
    yield "'\n";
  }
}

const LINE_FEED = 10;

/** `read`: one line, without taking what follows it. */
async function readLine({ shell, args, streams }: Call): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const raw = args.includes("-r");
  const value = new GrowingValue((bytes) => shell.take(bytes));
  let ended = true;
  const input = streams.stdin;
  const source =
    input === undefined
      ? shell.io.stdin
      : { read: () => input.read(shell.io.signal), unread: (chunk: Uint8Array) => input.unread(chunk) };
  for (let chunk = await source.read(); chunk !== undefined; chunk = await source.read()) {
    const end = chunk.indexOf(LINE_FEED);
    if (!value.add(end < 0 ? chunk : chunk.subarray(0, end))) throw outOfSpace();
    if (end < 0) continue;
    source.unread(chunk.subarray(end + 1));
    ended = false;
    break;
  }
  let line = value.toString();
  if (!raw && line.includes("\\")) line = await shell.inSlices(withoutBackslashes(line));
  await shell.inSlices(assignWords(shell, names, line));
  return ended ? 1 : 0;
}

/** How much of a text is worked on at once, in UTF-16 units. */
const BLOCK = 64 * 1024;

/** The characters behind backslashes mean themselves. */
function* withoutBackslashes(text: string): Steps<string> {
  let result = "";
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + BLOCK);
    let before = end;
    while (before > at && text[before - 1] === "\\") before -= 1;
    // A backslash and the character behind it stay together.
    if ((end - before) % 2 === 1) end += 1;
    result += text.slice(at, end).replace(/\\(.)/gs, "$1");
    at = end;
    yield;
  }
  return result;
}

/** One word of the line for each name, and what is left for the last. */
function* assignWords(shell: Shell, names: readonly string[], line: string): Steps<void> {
  const pace = new Pace();
  const text = line.trim();
  let at = 0;
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    let end = last ? text.length : at;
    while (end < text.length && !isBlank(text.charCodeAt(end))) {
      end += 1;
      if (pace.isDue()) yield;
    }
    shell.assign(name, text.slice(at, end));
    at = end;
    while (at < text.length && isBlank(text.charCodeAt(at))) {
      at += 1;
      if (pace.isDue()) yield;
    }
  }
}

const isBlank = (code: number): boolean => code === 32 || code === 9;

/** A condition of so many operands is decided at once. */
const FEW_OPERANDS = 16;

async function evaluate({ shell, args }: Call, operands: readonly string[]): Promise<number> {
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

function pathOf(shell: Shell, name: string): string | undefined {
  for (const folder of (shell.parameter("PATH") ?? "/usr/bin:/bin").split(":")) {
    try {
      if (shell.files.find(`${folder}/${name}`).kind === "file") return `${folder}/${name}`;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }
  return undefined;
}
