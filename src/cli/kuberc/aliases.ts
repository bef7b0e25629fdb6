import { goQuote } from "../../base/text/go-quote.js";
import type { Command, CommandEntry } from "../command.js";
import type { CommandNode } from "../command-node.js";
import { unknownCommand } from "../dispatch.js";
import { type CommandLine, CommandPresets, earlyTree, namedCommand, wordsOf } from "./command-line.js";
import type { Alias } from "./preference-schema.js";

/**
 * Resolves the alias of a line: the alias becomes a command of the root, with its flags and arguments. A line that names a command stays
 * unchanged, and so does a line whose first word is no alias.
 */
export async function applyAlias(given: CommandLine, aliases: readonly Alias[]): Promise<CommandLine> {
  const line = { ...given, root: withoutYielding(given.root, aliases) };
  const tree = earlyTree(line);
  if (unknownCommand(tree, line.argv) === undefined) return line;
  const index = line.argv.findIndex((word) => !word.startsWith("-") && !word.startsWith("__complete"));
  const name = line.argv[index];
  const alias = aliases.find((one) => one.name === name);
  if (alias === undefined) return line;
  if (tree.findChild([alias.name]) !== undefined) {
    line.host.streams.err.write(
      `Warning: Setting alias ${goQuote(alias.name)} to a built-in command is not supported\n`,
    );
    return line;
  }
  const words = wordsOf(alias.command);
  const target = namedCommand(tree, words);
  if (target === undefined) {
    throw new Error(
      `command ${goQuote(alias.command)} not found to set alias ${goQuote(alias.name)}: [${words.join(" ")}]`,
    );
  }
  const entry = aliasEntry(alias, target);
  const root = { ...line.root, children: [entry, ...(line.root.children ?? [])] };
  const presets = new CommandPresets(entry);
  const node = earlyTree({ ...line, root }).child(entry);
  await node.load();
  const where = `in alias ${line.host.program}`;
  const options = presets.set(node, alias.options, line.argv, {
    unknown: (option) => `invalid alias flag ${option.name} ${where}`,
    invalid: (option, reason) =>
      `could not apply value ${option.default} to flag ${option.name} ${where} err: ${reason}`,
  });
  const argv = [...line.argv.toSpliced(index + 1, 0, ...alias.prependArgs), ...alias.appendArgs];
  const rest = argv.join(" ").replaceAll(alias.name, "");
  presets.standsFor(`${alias.command}${options}${rest === "" ? "" : ` ${rest}`}`);
  return { ...line, root, argv, presets };
}

/** The commands without those that an alias of the same name takes the place of. */
function withoutYielding(root: CommandEntry, aliases: readonly Alias[]): CommandEntry {
  const isReplaced = ({ name, yields }: CommandEntry): boolean =>
    yields === true && aliases.some((alias) => alias.name === name);
  return root.children?.some(isReplaced) === true
    ? { ...root, children: root.children.filter((child) => !isReplaced(child)) }
    : root;
}

/** The command under another name, at the root. */
function aliasEntry({ name }: Alias, { entry, path, inherited }: CommandNode): CommandEntry {
  const { load, aliases: _aliases, yields: _yields, group, ...rest } = entry;
  return {
    ...rest,
    name,
    ...(load !== undefined && { load: async () => renamed(await load(), name) }),
    ...(group !== undefined && { group: { ...group, use: usedAs(name, group.use) } }),
    standsFor: { path: path.split(" ").slice(1).join(" "), inherited },
  };
}

function renamed({ aliases: _aliases, ...command }: Command, name: string): Command {
  return { ...command, use: command.namesFlags === true ? name : usedAs(name, command.use) };
}

const usedAs = (name: string, use: string): string => (use.endsWith(" [flags]") ? `${name} [flags]` : name);
