import { OPTIONS, type ShellOption } from "../shell-state.js";
import type { ShellScope } from "../shell-scope.js";
import type { ShellArray } from "../variables.js";

const BASH_VERSION = "5.2.0(1)-release";

/** $? and its kin, $1 and those that follow, and the variables that the shell itself sets; undefined for all others. */
export function specialParameter(name: string, shell: ShellScope): string | undefined {
  const { state, io } = shell;
  switch (name) {
    case "?":
      return String(state.status);
    case "$":
      return String(io.pid);
    case "#":
      return String(state.positional.length);
    case "!":
      return shell.jobs.last?.toString();
    case "-":
      return lettersOf(state.options, shell.interactive);
    case "0":
      return shell.name;
    case "LINENO":
      return String(shell.line);
    case "PPID":
      return "0";
    case "UID":
    case "EUID":
      return shell.call.isBash ? "0" : undefined;
    case "BASH_VERSION":
      return shell.call.isBash ? BASH_VERSION : undefined;
    case "SECONDS":
      return shell.call.isBash ? String(shell.seconds) : undefined;
    case "RANDOM":
      return shell.call.isBash ? String(shell.random()) : undefined;
    case "FUNCNAME":
    case "BASH_SOURCE":
    case "PIPESTATUS":
      return specialArray(name, shell)?.elements.get("0");
    default:
      return /^\d/.test(name) ? state.positional[Number(name) - 1] : undefined;
  }
}

/** The arrays that bash itself sets. */
export function specialArray(name: string, shell: ShellScope): ShellArray | undefined {
  if (name === "PIPESTATUS") return arrayOf(shell.state.pipeStatus.map(String));
  if (!shell.call.isBash) return undefined;
  if (name === "FUNCNAME") return arrayOf(shell.locals.callers);
  if (name === "BASH_SOURCE") return arrayOf(shell.scripts);
  return undefined;
}

function arrayOf(values: readonly string[]): ShellArray {
  return {
    isAssociative: false,
    elements: new Map(values.map((value, index) => [String(index), value])),
    last: values.length - 1,
  };
}

function lettersOf(options: ReadonlySet<ShellOption>, interactive: boolean): string {
  const letters = (Object.keys(OPTIONS) as ShellOption[])
    .filter((name) => options.has(name))
    .map((name) => OPTIONS[name]);
  return `${letters.join("")}${interactive ? "i" : ""}`;
}
