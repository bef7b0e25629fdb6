import type { Command, CommandEntry } from "../command.js";
import { installedPlugins, pluginWords } from "../installed-plugins.js";
import type { CommandLine } from "../kuberc/command-line.js";
import { isReplaced, withoutReplaced } from "../plugins.js";

/** The command line of a plugin, to which the flags of this program do not apply. */
export interface PluginLine extends CommandLine {
  readonly isOfPlugin: boolean;
}

/**
 * Adds the plugins to the commands of the line, as kubectl does: while the first word is being typed, and where it names no command of the
 * program, or one that a plugin replaces.
 */
export function withPlugins(line: CommandLine, words: readonly string[]): PluginLine {
  const [first = ""] = words;
  const command = line.root.children?.find(({ name }) => name === first);
  const isCommand = command !== undefined && !isReplaced(command, line.host);
  if (first.startsWith("-") || (words.length > 1 && isCommand)) return { ...line, isOfPlugin: false };
  const root = installedPlugins(line.host).files.reduce(
    (tree, file) => withCommand(tree, pluginWords(file)),
    withoutReplaced(line.root, line.host),
  );
  return words.length > 1 ? { ...line, root, globals: [], isOfPlugin: true } : { ...line, root, isOfPlugin: false };
}

/** What the program has of itself stays as it is. */
function withCommand(tree: CommandEntry, [word = "", ...rest]: readonly string[]): CommandEntry {
  if (word === "") return tree;
  const children = tree.children ?? [];
  const known = children.find(({ name, aliases }) => name === word || aliases?.includes(word) === true);
  if (known !== undefined && !plugins.has(known)) return tree;
  const added = withCommand(known ?? { name: word, summary: `The plugin ${word}`, load: loadPlugin }, rest);
  plugins.add(added);
  return { ...tree, children: [...children.filter((child) => child !== known), added] };
}

const plugins = new WeakSet<CommandEntry>();

/** Returns the command of a plugin for completion; it is never run from here. */
async function loadPlugin(): Promise<Command> {
  const { completePlugin } = await import("./plugin-completion.js");
  return {
    use: "",
    description: "",
    examples: "",
    flags: [],
    disableFlagParsing: true,
    completeArgs: completePlugin,
    execute: () => Promise.resolve(),
  };
}
