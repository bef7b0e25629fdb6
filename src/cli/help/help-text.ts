import type { CommandEntry } from "../command.js";
import type { CommandNode } from "../command-node.js";
import { installedPlugins, pluginWords } from "../installed-plugins.js";
import { isReplaced } from "../plugins.js";
import { unpainted, type TextPaint } from "../../printers/look.js";
import { type Colours, lookOf } from "../terminal/colour.js";
import type { Streams } from "../connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { defaultText } from "../../component/flags/flag-value.js";

/**
 * Returns the help of a command: its description, then kubectl's sections in kubectl's order. Titles, the usage line, flag names and the
 * closing tips are interface.
 */
export function helpText(node: CommandNode, style: HelpStyle = {}): string {
  const { width } = style;
  const program = programOf(node);
  const description = fill(node.module?.description ?? node.entry.group?.description ?? node.entry.summary, program);
  const text = width === undefined ? description : wrapText(description, width);
  return `${text.trim()}${usageText(node, style)}`;
}

/** Returns the sections below the description. */
export function usageText(node: CommandNode, style: HelpStyle = {}): string {
  const sections = [
    aliases(node, style),
    examples(node, style),
    subcommands(node, style),
    options(node, style),
    usage(node, style),
    tips(node),
  ];
  return `\n\n${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** The node of the program itself. `help` looks at nodes that were never joined to it, so the path tells. */
const isRoot = (node: CommandNode): boolean => !node.path.includes(" ");

function programOf(node: CommandNode): string {
  return node.path.split(" ")[0] ?? "";
}

const fill = (text: string, program: string): string => text.replaceAll("{{program}}", program);

const title = (text: string, { paint = unpainted }: HelpStyle): string => paint.heading(text);

function aliases({ entry }: CommandNode, style: HelpStyle): string {
  return entry.aliases === undefined || entry.aliases.length === 0
    ? ""
    : `${title("Aliases:", style)}\n${[entry.name, ...entry.aliases].join(", ")}`;
}

function examples(node: CommandNode, style: HelpStyle): string {
  const text = node.module?.examples ?? node.entry.group?.examples ?? "";
  if (text.trim() === "") return "";
  const lines = dedent(fill(text, programOf(node)).replace(/^\n+/, "").trimEnd().split("\n"));
  const shown = lines.map((line) => exampleLine(line, style)).join("\n");
  return `${title("Examples:", style)}\n${shown.trimEnd()}`;
}

function exampleLine(line: string, { paint = unpainted }: HelpStyle): string {
  return `  ${line.startsWith("#") ? paint.muted(line) : line}`;
}

function dedent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents)));
}

function subcommands(node: CommandNode, style: HelpStyle): string {
  const { paint = unpainted } = style;
  const host = { ...node.context, program: programOf(node) };
  const visible = (node.entry.children ?? []).filter((child) => child.hidden !== true && !isReplaced(child, host));
  if (visible.length === 0) return "";
  const padding = Math.max(MIN_NAME_PADDING, ...visible.map((child) => child.name.length));
  const titled = isRoot(node)
    ? rootSections(node, visible)
    : [{ title: "Available Commands:", entries: byName(visible) }];
  return titled
    .map(({ title: heading, entries }) => {
      const lines = entries.map(
        ({ name, summary }) => `  ${paint.key(name)}${" ".repeat(Math.max(0, padding - name.length))}   ${summary}`,
      );
      return [title(heading, style), ...lines].join("\n");
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

function options(node: CommandNode, style: HelpStyle): string {
  const own = node.ownFlags.filter((flag) => flag.persistent !== true && flag.name !== "help");
  const text = flagUsages(
    own.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    style,
  ).trimEnd();
  return text === "" ? "" : `${title("Options:", style)}\n${text}`;
}

function usage(node: CommandNode, style: HelpStyle): string {
  return `${title("Usage:", style)}\n  ${usageLine(node)}`;
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

/** The widths kubectl folds help to; a narrower terminal gets the lines as they are. */
const WIDTHS = [120, 100, 80];

/** Returns how help is shown on a stream. Lines are wrapped on a terminal only. */
export async function helpStyle(stream: Streams["out"], colours: Colours): Promise<HelpStyle> {
  const { isTTY, columns = 0 } = stream;
  const { paint } = await lookOf(stream, colours);
  return { width: isTTY === true ? WIDTHS.find((width) => columns >= width) : undefined, paint };
}

/** Wraps text at spaces to lines of at most `width`, unless a word is longer. Existing line breaks stay. */
function wrapText(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, width))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<= )(?=\S)/)) {
    if (current !== "" && current.length + word.trimEnd().length > width) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += word;
  }
  lines.push(current.trimEnd());
  return lines.join("\n");
}

/** How help is shown; in a pipe as kubectl shows it. */
interface HelpStyle {
  /** The width of the terminal; without one no line is wrapped. */
  readonly width?: number | undefined;
  /** Set where colours are wanted. */
  readonly paint?: TextPaint | undefined;
}

/** kubectl indents what a flag does by one tab and leaves this much room for it. */
const OFFSET = 10;

/** Returns the flags of a help text, a paragraph each, with an empty line after each. */
export function flagUsages(flags: readonly FlagSpec[], style: HelpStyle): string {
  return flags
    .filter((flag) => flag.hidden !== true && flag.deprecated === undefined)
    .map((flag) => `${flagUsage(flag, style)}\n\n`)
    .join("");
}

function flagUsage(flag: FlagSpec, { width, paint = unpainted }: HelpStyle): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const name = `${short}--${flag.name}`;
  const value = flag.type === "string" ? `'${defaultText(flag)}'` : defaultText(flag);
  const usage = flag.usage.replaceAll("`", "'").replaceAll("\n", " ");
  const text = width === undefined ? usage : wrapText(usage, Math.max(20, width - OFFSET));
  const head = `${paint.key(name)}=${paint.type(value)}`;
  return `    ${head}:\n\t${text.replaceAll("\n", "\n\t")}`;
}
