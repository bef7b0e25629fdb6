import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A flag as kubectl declares it. */
export interface FlagEntry {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** "none": true or false, or of its own default when it stands alone; "required": takes the next word. */
  readonly value: "none" | "required";
}

export interface CommandEntry {
  /** "create secret tls"; "" is kubectl itself. */
  readonly path: string;
  readonly aliases: readonly string[];
  readonly flags: readonly FlagEntry[];
}

/** kubectl's commands with each one's own flags. The first is kubectl itself, with the flags that every command has. */
export type CommandList = readonly CommandEntry[];

const file = join(import.meta.dirname, "kubectl-flags.txt");

/**
 * One command a line, its flags below it: `-f --filename VALUE`, or without VALUE where the flag may stand alone. Behind the
 * command are its other names, in brackets.
 */
export function commandListText(commands: CommandList): string {
  const lines = commands.flatMap(({ path, aliases, flags }) => [
    `kubectl${path === "" ? "" : ` ${path}`}${aliases.length === 0 ? "" : ` (${aliases.join(", ")})`}`,
    ...flags.map(
      ({ name, short, value }) =>
        `  ${short === undefined ? "" : `-${short} `}--${name}${value === "none" ? "" : " VALUE"}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

export function parseCommandList(text: string): CommandList {
  const commands: { path: string; aliases: string[]; flags: FlagEntry[] }[] = [];
  for (const line of text.split("\n")) {
    const command = /^kubectl ?([^(]*?)(?: \((.*)\))?$/.exec(line);
    const flag = /^ {2}(?:-(\w) )?--([\w-]+)( VALUE)?$/.exec(line);
    if (command !== null) {
      commands.push({ path: command[1] ?? "", aliases: command[2]?.split(", ") ?? [], flags: [] });
    } else if (flag !== null) {
      commands.at(-1)?.flags.push({
        name: flag[2] ?? "",
        ...(flag[1] !== undefined && { short: flag[1] }),
        value: flag[3] === undefined ? "none" : "required",
      });
    } else if (line !== "") {
      throw new Error(`kubectl-flags.txt: neither a command nor a flag: ${line}`);
    }
  }
  return commands;
}

/** The list as it was taken from the pinned binary; `PARITY_COVERAGE` takes it anew and compares. */
export const storedCommandListText = (): string => readFileSync(file, "utf8");

export const COMMAND_LIST_FILE = file;

/** Commands that come and go with kubectl's releases. */
const EXCLUDED = ["alpha"];

export const isExcluded = (path: string): boolean => EXCLUDED.includes(path.split(" ")[0] ?? "");

/** Commands that do something themselves: those without commands of their own, and those that have flags. */
export function leafCommands(commands: CommandList): readonly CommandEntry[] {
  const isGroup = ({ path }: CommandEntry): boolean => commands.some((other) => other.path.startsWith(`${path} `));
  return commands.filter(
    (command) => command.path !== "" && !isExcluded(command.path) && (!isGroup(command) || command.flags.length > 0),
  );
}

/** "annotate --all"; a flag of every command counts once, as "any command --as". */
export const pairName = (path: string, flag: string): string => `${path === "" ? "any command" : path} --${flag}`;

export function allPairs(commands: CommandList): readonly string[] {
  return commands
    .filter(({ path }) => !isExcluded(path))
    .flatMap(({ path, flags }) => flags.map(({ name }) => pairName(path, name)));
}
