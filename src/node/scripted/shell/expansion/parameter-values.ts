import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { type ExpansionScope, globOf, joined, lengthOf, worked } from "./expansion.js";
import { isLiteral, type PatternPiece } from "./glob.js";
import { LARGEST_VALUE, outOfSpace } from "./growing-value.js";
import { OPTIONS, type ShellOption } from "../shell-state.js";
import type { ShellScope } from "../shell-scope.js";
import type { ShellArray } from "../variables.js";

/** Changes the first character of a value. */
export function firstChanged(value: string, change: (char: string) => string): string {
  const [first = ""] = value;
  return change(first) + value.slice(first.length);
}

/** Returns a text unchanged, or as an array of characters where some of them are surrogate pairs. */
export function* charactersOf(text: string): Steps<string | readonly string[]> {
  const pace = new Pace();
  const characters: string[] = [];
  let hasPairs = false;
  for (let index = 0; index < text.length && !hasPairs; index += 1) {
    if (pace.isDue()) yield;
    hasPairs = isFirstOfTwo(text.charCodeAt(index));
  }
  if (!hasPairs) return text;
  for (const char of text) {
    if (pace.isDue()) yield;
    characters.push(char);
  }
  return characters;
}

/** Counts the characters of a text. */
export function* countCharacters(text: string): Steps<number> {
  const pace = new Pace();
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if (pace.isDue()) yield;
    // A character of two units counts once.
    if (isFirstOfTwo(text.charCodeAt(index)) && isSecondOfTwo(text.charCodeAt(index + 1))) count -= 1;
  }
  return count;
}

const isFirstOfTwo = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isSecondOfTwo = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Evaluates ${name%pattern} and its variants: removes the shortest or longest match at the end or the beginning. */
export async function withoutMatch(
  value: string,
  operator: string,
  pattern: readonly PatternPiece[],
  scope: ExpansionScope,
): Promise<string> {
  const fromEnd = operator.startsWith("%");
  const length = await edgeLength(value, pattern, { longest: operator.length === 2, fromEnd }, scope);
  if (length === undefined) return value;
  return fromEnd ? value.slice(0, value.length - length) : value.slice(length);
}

async function edgeLength(
  value: string,
  pattern: readonly PatternPiece[],
  edge: { readonly longest: boolean; readonly fromEnd: boolean },
  scope: ExpansionScope,
): Promise<number | undefined> {
  if (isLiteral(pattern)) {
    const text = joined(pattern);
    return (edge.fromEnd ? value.endsWith(text) : value.startsWith(text)) ? text.length : undefined;
  }
  return worked(globOf(pattern).edge(value, edge), value.length * lengthOf(pattern), scope);
}

/** Evaluates ${name/pattern/text}: replaces the first match, each (//), or one at the beginning (/#) or the end (/%). */
export async function replaced(
  value: string,
  operator: string,
  pattern: readonly PatternPiece[],
  text: string,
  scope: ExpansionScope,
): Promise<string> {
  if (operator === "/#" || operator === "/%") {
    const fromEnd = operator === "/%";
    const length = await edgeLength(value, pattern, { longest: true, fromEnd }, scope);
    if (length === undefined) return value;
    return checked(fromEnd ? value.slice(0, value.length - length) + text : text + value.slice(length));
  }
  const work = isLiteral(pattern)
    ? withText(value, joined(pattern), text, operator === "//", scope)
    : withMatches(value, pattern, text, operator === "//", scope);
  return worked(work, value.length * lengthOf(pattern), scope);
}

function* withText(value: string, sought: string, text: string, each: boolean, scope: ExpansionScope): Steps<string> {
  if (sought === "") return value;
  const pace = new Pace();
  let result = "";
  let at = 0;
  for (let found = value.indexOf(sought); found >= 0; found = value.indexOf(sought, at)) {
    if (pace.isDue()) yield;
    result = grown(result, value.slice(at, found) + text, scope);
    at = found + sought.length;
    if (!each) break;
  }
  return checked(result + value.slice(at));
}

/** The longest match at each place, from left to right. */
function* withMatches(
  value: string,
  pattern: readonly PatternPiece[],
  text: string,
  each: boolean,
  scope: ExpansionScope,
): Steps<string> {
  const glob = globOf(pattern);
  const pace = new Pace();
  let result = "";
  let kept = 0;
  for (let at = 0; at < value.length; ) {
    if (pace.isDue()) yield;
    const length = yield* glob.edge(value.slice(at), { longest: true, fromEnd: false });
    if (length === undefined || length === 0) {
      at += 1;
      continue;
    }
    result = grown(result, value.slice(kept, at) + text, scope);
    at += length;
    kept = at;
    if (!each) break;
  }
  return checked(result + value.slice(kept));
}

function grown(result: string, more: string, scope: ExpansionScope): string {
  scope.take(more.length);
  return checked(result + more);
}

function checked(value: string): string {
  if (value.length > LARGEST_VALUE) throw outOfSpace();
  return value;
}

const BASH_VERSION = "5.2.0(1)-release";

/** The value of $? and similar parameters, of $1 and the following, and of variables that the shell itself sets; undefined for all others. */
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

/** Computes an array that bash itself sets. */
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
