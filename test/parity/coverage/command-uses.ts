import type { CommandEntry, CommandList, FlagEntry } from "./kubectl-flags.js";
import { simpleCommands, type Word } from "./shell-words.js";

/** A flag as a line gives it. */
export interface GivenFlag {
  /** Whose flag it is: the command's path, or "" for a flag of every command. */
  readonly owner: string;
  readonly name: string;
  /** What to cut out of the line to drop it. Of `-it` only its own letter. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}

/** One call of kubectl in a line. */
export interface CommandUse {
  readonly command: CommandEntry;
  readonly flags: readonly GivenFlag[];
  /** Where it stands in the line. */
  readonly index: number;
  /**
   * "yes": its code is the line's. "piped": other programs after it hide its code. "no": it is one of several, or its output is
   * an operand of another.
   */
  readonly decides: "yes" | "piped" | "no";
}

/** What may stand before kubectl in its command: settings, words of sh, programs that start others. */
const BEFORE =
  /^(?:[A-Za-z_]\w*=.*|!|\{|if|then|else|do|while|until|env|exec|sudo|timeout|time|xargs|nohup|command|forwarding|interrupting|watching|-.*|\d[\w.]*|INT|TERM)$/s;

/** Calls of kubectl in a line of a session, in the order they stand; completion is none of its commands. */
export function commandUses(line: string, commands: CommandList): readonly CommandUse[] {
  const simple = simpleCommands(line);
  const uses: CommandUse[] = [];
  simple.forEach(({ words, before, depth }, i) => {
    const at = words.findIndex(({ text }) => /(?:^|\/)kubectl$/.test(text));
    if (at < 0 || !words.slice(0, at).every(({ text }) => BEFORE.test(text))) return;
    if (words.slice(at).some(({ text }) => text.startsWith("__complete"))) return;
    const behind = simple.slice(i + 1).filter((other) => other.depth === 0);
    const last = depth === 0 && behind.length === 0 && before === "";
    const piped =
      depth === 0 && before === "|" && !behind.some((other) => other.words.some(({ text }) => text === "kubectl"));
    const index = words[at]?.start ?? 0;
    uses.push({
      ...readArguments(words.slice(at + 1), commands),
      index,
      decides: last ? "yes" : piped ? "piped" : "no",
    });
  });
  return uses.sort((a, b) => a.index - b.index);
}

const ROOT = 0;

function readArguments(
  words: readonly Word[],
  commands: CommandList,
): { readonly command: CommandEntry; readonly flags: readonly GivenFlag[] } {
  const root = commands[ROOT];
  if (root === undefined) throw new Error("the list of commands is empty");
  const command = findCommand(words, root, commands);
  const known = new Map<string, { flag: FlagEntry; owner: string }>();
  for (const { path, flags } of ownersOf(command, root)) {
    for (const flag of flags) {
      known.set(`--${flag.name}`, { flag, owner: path });
      if (flag.short !== undefined) known.set(`-${flag.short}`, { flag, owner: path });
    }
  }
  const given = new Map<string, GivenFlag>();
  const add = (key: string, ranges: GivenFlag["ranges"]): void => {
    const found = known.get(key);
    if (found === undefined) return;
    const name = `${found.owner} ${found.flag.name}`;
    const before = given.get(name)?.ranges ?? [];
    given.set(name, { owner: found.owner, name: found.flag.name, ranges: [...before, ...ranges] });
  };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined || word.text === "--") break;
    const next = words[i + 1];
    const { start, end } = word;
    if (word.text.startsWith("--")) {
      const [name = ""] = word.text.replaceAll("_", "-").split("=", 1);
      const takes = !word.text.includes("=") && known.get(name)?.flag.value === "required";
      add(name, [{ start, end }, ...(takes && next !== undefined ? [{ start: next.start, end: next.end }] : [])]);
      if (takes) i++;
    } else if (/^-[A-Za-z]/.test(word.text)) {
      i += shorts(word, next, known, add);
    }
  }
  return { command, flags: [...given.values()] };
}

/** `-it`, `-fx`, `-f x`: how many words more it takes. */
function shorts(
  word: Word,
  next: Word | undefined,
  known: ReadonlyMap<string, { readonly flag: FlagEntry }>,
  add: (key: string, ranges: GivenFlag["ranges"]) => void,
): number {
  const { start, end, text } = word;
  for (let at = 1; at < text.length; at++) {
    const key = `-${text[at]}`;
    const whole = at === 1;
    const last = at === text.length - 1;
    if (known.get(key)?.flag.value === "required") {
      const own = { start: whole ? start : start + at, end };
      add(key, last && next !== undefined ? [own, { start: next.start, end: next.end }] : [own]);
      return last ? 1 : 0;
    }
    if (text[at + 1] === "=") {
      add(key, [{ start: whole ? start : start + at, end }]);
      return 0;
    }
    add(key, [whole && last ? { start, end } : { start: start + at, end: start + at + 1 }]);
  }
  return 0;
}

/** Flags of kubectl, then of the command: the latter hide the former. */
function ownersOf(command: CommandEntry, root: CommandEntry): readonly CommandEntry[] {
  if (command === root) return [root];
  return [root, command];
}

/** Goes down by the words that are no flags and no values of flags, as cobra does. */
function findCommand(words: readonly Word[], root: CommandEntry, commands: CommandList): CommandEntry {
  let command = root;
  for (let i = 0; i < words.length; i++) {
    const text = words[i]?.text ?? "";
    if (text === "--") break;
    if (text.startsWith("-")) {
      const entry = [...root.flags, ...command.flags].find(
        ({ name, short }) => text === `--${name}` || text === `-${short}`,
      );
      if (entry?.value === "required") i++;
      continue;
    }
    const prefix = command.path === "" ? "" : `${command.path} `;
    const child = commands.find(
      ({ path, aliases }) =>
        path.startsWith(prefix) &&
        path !== "" &&
        !path.slice(prefix.length).includes(" ") &&
        path !== command.path &&
        (path.slice(prefix.length) === text || aliases.includes(text)),
    );
    if (child === undefined) break;
    command = child;
  }
  return command;
}

/** The line without a flag. */
export function withoutFlag(line: string, { ranges }: GivenFlag): string {
  return [...ranges]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), line);
}
