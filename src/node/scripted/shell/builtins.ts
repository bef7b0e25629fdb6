import { FileError } from "../files/file-error.js";
import { absolute, normalPath } from "../files/file-system.js";
import { signalNamed } from "../signals.js";
import { bytesOf } from "./byte-text.js";
import { CommandError, ExitShell, LeaveLoop } from "./control-flow.js";
import { GrowingValue, outOfSpace } from "./growing-value.js";
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
  echo: (call) => write(call, echoText(call.args)),
  printf: (call) => write(call, printf(call.args[0] ?? "", call.args.slice(1))),
  export: exportVariables,
  unset({ shell, args }) {
    for (const name of args) {
      shell.state.variables.delete(name);
      shell.state.exported.delete(name);
    }
    return 0;
  },
  set({ shell, args }) {
    for (const [index, arg] of args.entries()) {
      if (arg === "--" || !/^[-+]/.test(arg)) {
        shell.state.positional = args.slice(arg === "--" ? index + 1 : index);
        return 0;
      }
      if (arg.includes("e")) shell.state.exitsOnError = arg.startsWith("-");
    }
    return 0;
  },
  shift({ shell, args }) {
    const count = Number(args[0] ?? 1);
    if (count > shell.positional.length) throw new CommandError("shift: can't shift that many");
    shell.state.positional = shell.positional.slice(count);
    return 0;
  },
  read: readLine,
  test: (call) => evaluate(call, call.args),
  "[": (call) => {
    if (call.args.at(-1) !== "]") throw new CommandError("[: missing ]");
    return evaluate(call, call.args.slice(0, -1));
  },
  eval: ({ shell, args, streams }) => shell.runScript(args.join(" "), streams),
  ".": ({ shell, args, streams }) => {
    const path = absolute(shell.cwd, args[0] ?? "");
    if (shell.files.look(path) === undefined) throw new CommandError(`.: cannot open ${args[0] ?? ""}: No such file`);
    return shell.runScript(shell.files.content(path).toString("utf8"), streams);
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

/** `echo` of the shell: -n, and escapes as dash has them. */
export function echoText(args: readonly string[]): string {
  const bare = args[0] === "-n";
  const text = unescaped((bare ? args.slice(1) : args).join(" "));
  return bare ? text : `${text}\n`;
}

function changeDirectory({ shell, args }: Call): number {
  const target = args[0] === "-" ? (shell.parameter("OLDPWD") ?? "") : (args[0] ?? shell.parameter("HOME") ?? "/");
  const path = normalPath(shell.cwd, target);
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
    const lines = Object.entries(shell.environment).sort(([a], [b]) => (a < b ? -1 : 1));
    return write(call, lines.map(([name, value]) => `export ${name}='${value.replaceAll("'", `'"'"'`)}'\n`).join(""));
  }
  for (const arg of args) {
    const [, name = arg, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(arg) ?? [];
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new CommandError(`export: ${arg}: bad variable name`);
    if (value !== undefined) shell.assign(name, value);
    shell.state.exported.add(name);
  }
  return 0;
}

const LINE_FEED = 10;

/** `read`: one line, without taking what follows it. */
async function readLine({ shell, args, streams }: Call): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const raw = args.includes("-r");
  const value = new GrowingValue();
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
  if (!raw) line = line.replace(/\\(.)/g, "$1");
  const words = line.trim().split(/[ \t]+/);
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    shell.assign(name, last ? words.slice(index).join(" ") : (words[index] ?? ""));
  }
  return ended ? 1 : 0;
}

function evaluate({ shell, args }: Call, operands: readonly string[]): number {
  try {
    return condition(operands, shell.files, shell.cwd, shell.io.terminal !== undefined) ? 0 : 1;
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
