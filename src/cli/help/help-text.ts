import type { CommandEntry } from "../command.js";
import type { CommandNode } from "../command-node.js";
import { installedPlugins, pluginWords } from "../installed-plugins.js";
import { flagUsages } from "./flag-usages.js";
import { wrapText } from "./wrap.js";

/**
 * The help of a command: what it does, then kubectl's sections in kubectl's order. Titles, the usage line, flag names
 * and the closing tips are interface. `width` is that of a terminal; without one no line is broken.
 */
export function helpText(node: CommandNode, width?: number): string {
  const program = programOf(node);
  const description = fill(node.module?.description ?? node.entry.group?.description ?? node.entry.summary, program);
  const text = width === undefined ? description : wrapText(description, width);
  return `${text.trim()}${usageText(node, width)}`;
}

/** The sections below the description. */
export function usageText(node: CommandNode, width?: number): string {
  const sections = [aliases(node), examples(node), subcommands(node), options(node, width), usage(node), tips(node)];
  return `\n\n${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** The node of the program itself. `help` looks at nodes that were never joined to it, so the path tells. */
const isRoot = (node: CommandNode): boolean => !node.path.includes(" ");

function programOf(node: CommandNode): string {
  return node.path.split(" ")[0] ?? "";
}

const fill = (text: string, program: string): string => text.replaceAll("{{program}}", program);

function aliases({ entry }: CommandNode): string {
  return entry.aliases === undefined || entry.aliases.length === 0
    ? ""
    : `Aliases:\n${[entry.name, ...entry.aliases].join(", ")}`;
}

function examples(node: CommandNode): string {
  const text = node.module?.examples ?? node.entry.group?.examples ?? "";
  if (text.trim() === "") return "";
  const lines = dedent(fill(text, programOf(node)).replace(/^\n+/, "").trimEnd().split("\n"));
  return `Examples:\n${lines
    .map((line) => `  ${line}`)
    .join("\n")
    .trimEnd()}`;
}

function dedent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents)));
}

function subcommands(node: CommandNode): string {
  const visible = (node.entry.children ?? []).filter((child) => child.hidden !== true);
  if (visible.length === 0) return "";
  const padding = Math.max(MIN_NAME_PADDING, ...visible.map((child) => child.name.length));
  const titled = isRoot(node)
    ? rootSections(node, visible)
    : [{ title: "Available Commands:", entries: byName(visible) }];
  return titled
    .map(({ title, entries }) => {
      const lines = entries.map((child) => `  ${child.name.padEnd(padding)}   ${child.summary}`);
      return [title, ...lines].join("\n");
    })
    .join("\n\n");
}

/** cobra's least width of a column of command names. */
const MIN_NAME_PADDING = 11;

interface Section {
  readonly title: string;
  readonly entries: readonly CommandEntry[];
}

/**
 * The title kubectl gives to commands of plugins is shown even when there are none. What stands in a section has its
 * place already; a plugin of several words is shown by the first.
 */
function pluginSection({ context }: CommandNode, entries: readonly CommandEntry[]): Section {
  const taken = new Set(
    entries.flatMap(({ section, name, aliases = [] }) => (section === undefined ? [] : [name, ...aliases])),
  );
  const names = installedPlugins(context).files.map((file) => pluginWords(file)[0] ?? "");
  const shown = names.filter((name) => name !== "" && !taken.has(name));
  return {
    title: "Subcommands provided by plugins:",
    entries: shown.map((name) => ({ name, summary: `The plugin ${name}` })),
  };
}

function rootSections(node: CommandNode, entries: readonly CommandEntry[]): readonly Section[] {
  const sections = new Map<string, CommandEntry[]>();
  for (const entry of entries) {
    if (entry.section === undefined) continue;
    const list = sections.get(entry.section) ?? [];
    list.push(entry);
    sections.set(entry.section, list);
  }
  const others = byName(
    entries.filter((entry) => entry.section === undefined && entry.name !== "options" && entry.name !== "help"),
  );
  const titled = [...sections].map(([title, list]) => ({ title, entries: list }));
  return [...titled, pluginSection(node, entries), { title: "Other Commands:", entries: others }];
}

function byName(entries: readonly CommandEntry[]): readonly CommandEntry[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function options(node: CommandNode, width: number | undefined): string {
  const own = node.ownFlags.filter((flag) => flag.persistent !== true && flag.name !== "help");
  const text = flagUsages(
    own.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    width,
  ).trimEnd();
  return text === "" ? "" : `Options:\n${text}`;
}

function usage(node: CommandNode): string {
  return `Usage:\n  ${usageLine(node)}`;
}

/** cobra's UseLine with kubectl's "[options]". */
function usageLine(node: CommandNode): string {
  const use = node.module?.use ?? node.entry.group?.use ?? node.entry.name;
  const words = node.path.split(" ").slice(0, -1);
  const line = [...words, isRoot(node) ? use.replace(/^\S+/, node.path) : use].join(" ");
  return line.includes("[options]") ? line : `${line} [options]`;
}

function tips(node: CommandNode): string {
  const more =
    (node.entry.children ?? []).length > 0
      ? `Use "${node.path} <command> --help" for more information about a given command.\n`
      : "";
  return `${more}Use "${programOf(node)} options" for a list of global command-line options (applies to all commands).`;
}
