import type { BuiltinCall } from "./builtin.js";
import { writePieces } from "./builtin-output.js";
import { settings } from "./builtin-variables.js";
import { CommandError } from "../control-flow.js";
import type { Shell } from "../shell.js";
import { OPTIONS, type ShellOption, SWITCHES } from "../shell-state.js";

const NAMES = Object.keys(OPTIONS) as ShellOption[];
/** Options that change nothing in a shell without job control, mail, a history file or a terminal. */
const WITHOUT_EFFECT = new Set(["b", "h", "m", "v", "E", "T", "B", "H", "P"]);
const NAMES_WITHOUT_EFFECT = new Set([
  "braceexpand",
  "errtrace",
  "functrace",
  "hashall",
  "histexpand",
  "history",
  "ignoreeof",
  "monitor",
  "notify",
  "physical",
  "posix",
  "verbose",
]);
/** What shopt may set and what is so already, or shows at a terminal alone. */
const SHOPT_WITHOUT_EFFECT = new Set([
  "checkhash",
  "checkwinsize",
  "cmdhist",
  "extquote",
  "force_fignore",
  "histappend",
  "interactive_comments",
  "progcomp",
  "promptvars",
  "sourcepath",
]);

/** Sets options by the letters of a shell's own arguments and of `set`; throws a CommandError for an unknown letter. */
export function setOptions(options: Set<ShellOption>, letters: string, isOn: boolean, builtin = "set"): void {
  for (const letter of letters) {
    const name = NAMES.find((one) => OPTIONS[one] === letter);
    if (name === undefined) {
      if (WITHOUT_EFFECT.has(letter)) continue;
      const sign = isOn ? "-" : "+";
      throw new CommandError(`${builtin}: Illegal option ${sign}${letter}`, 2, `${builtin} ${sign}${letter}`);
    }
    if (isOn) options.add(name);
    else options.delete(name);
  }
}

/** Sets an option by its name (set -o NAME). */
export function setNamedOption(options: Set<ShellOption>, name: string, isOn: boolean): void {
  const known = NAMES.find((one) => one === name);
  if (known === undefined) {
    if (NAMES_WITHOUT_EFFECT.has(name)) return;
    throw new CommandError(`set: Illegal option -o ${name}`, 2, `set -o ${name}`);
  }
  if (isOn) options.add(known);
  else options.delete(known);
}

/** set [-+abefhmnuvxC] [-+o NAME] [--] [ARGUMENT...] */
export async function set(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const { options } = shell.state;
  if (args.length === 0) return writePieces(call, settings(shell));
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "--" || word === "-") {
      await shell.setPositional(args.slice(at + 1));
      return 0;
    }
    if (!/^[-+]./.test(word)) break;
    const isOn = word.startsWith("-");
    setOptions(options, word.slice(1).replaceAll("o", ""), isOn);
    for (let count = word.split("o").length - 1; count > 0; count -= 1) {
      const name = args[(at += 1)];
      if (name === undefined) return writePieces(call, listing(shell, isOn));
      setNamedOption(options, name, isOn);
    }
  }
  if (at < args.length) await shell.setPositional(args.slice(at));
  return 0;
}

function* listing({ state }: Shell, isShown: boolean): Generator<string, void> {
  if (isShown) yield "Current option settings\n";
  for (const name of NAMES) {
    const isOn = state.options.has(name);
    yield isShown ? `${name.padEnd(16)}${isOn ? "on" : "off"}\n` : `set ${isOn ? "-" : "+"}o ${name}\n`;
  }
}

/** shopt [-suq] [-o] NAME... */
export function shopt({ shell, args }: BuiltinCall): number {
  const letters = args.filter((arg) => arg.startsWith("-")).join("");
  const names = args.filter((arg) => !arg.startsWith("-"));
  const { shopts } = shell.state;
  for (const name of names) {
    const known = SWITCHES.find((one) => one === name);
    if (letters.includes("o")) setNamedOption(shell.state.options, name, letters.includes("s"));
    else if (known !== undefined) {
      if (letters.includes("s")) shopts.add(known);
      else if (letters.includes("u")) shopts.delete(known);
      else return shopts.has(known) ? 0 : 1;
    } else if (!SHOPT_WITHOUT_EFFECT.has(name))
      throw new CommandError(`shopt: ${name}: invalid shell option name`, 1, `shopt ${name}`);
  }
  return 0;
}

/** getopts OPTIONS NAME [ARGUMENT...]: the next option, into NAME, with OPTARG and OPTIND. */
export async function getopts({ shell, args, streams, line }: BuiltinCall): Promise<number> {
  const [letters = "", name = "", ...given] = args;
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new CommandError("getopts: usage: getopts optstring var [arg]");
  const words = args.length > 2 ? given : shell.positional;
  const place = shell.optionPlace;
  const index = Number(shell.parameter("OPTIND") ?? 1) || 1;
  if (index !== place.argument) Object.assign(place, { argument: index, letter: 1 });
  const word = words[place.argument - 1];
  const isSilent = letters.startsWith(":");
  const end = (next: number): number => {
    Object.assign(place, { argument: next, letter: 1 });
    shell.assign("OPTIND", String(next));
    shell.assign(name, "?");
    return 1;
  };
  if (word === undefined || !/^-./.test(word)) return end(place.argument);
  if (word === "--") return end(place.argument + 1);
  const letter = word[place.letter] ?? "";
  const known = letter !== ":" && letters.includes(letter);
  place.letter += 1;
  const next = (): void => void Object.assign(place, { argument: place.argument + 1, letter: 1 });
  const rest = word.slice(place.letter);
  if (shell.call.isBash) shell.state.variables.delete("OPTARG");
  else shell.assign("OPTARG", "");
  shell.assign(name, known ? letter : "?");
  if (known && letters[letters.indexOf(letter) + 1] === ":") {
    next();
    const value = rest === "" ? words[place.argument - 1] : rest;
    if (rest === "" && value !== undefined) next();
    if (value !== undefined) shell.assign("OPTARG", value);
    else if (isSilent) {
      shell.assign(name, ":");
      shell.assign("OPTARG", letter);
    } else {
      shell.assign(name, "?");
      await shell.complain(`option requires an argument -- ${letter}`, streams, line);
    }
  } else {
    if (rest === "") next();
    if (!known && isSilent) shell.assign("OPTARG", letter);
    else if (!known) {
      shell.state.variables.delete("OPTARG");
      await shell.complain(`illegal option -- ${letter}`, streams, line);
    }
  }
  shell.assign("OPTIND", String(place.argument));
  return 0;
}
