import { NO_FILE_COMP } from "../../cli/completion/directive.js";
import type { Command, Completer } from "../../cli/command.js";
import { findNode } from "../../cli/command-node.js";
import { rootNode, unknownCommand } from "../../cli/dispatch.js";
import { helpStyle, helpText, usageText } from "../../cli/help/index.js";
import { withoutReplaced } from "../../cli/plugins.js";

/** The command `help`: `help get` is `get --help`; an unknown name gets the list of commands, on stderr. */
export function helpCommand(): Command {
  return {
    use: "help [command] [flags]",
    description: "Show help for any command: `{{program}} help [path to command]`.",
    examples: "",
    flags: [],
    execute: async (factory, { args, root, globalFlags }) => {
      const { out, err } = factory.streams;
      const tree = rootNode(withoutReplaced(root, factory), factory, globalFlags);
      if (unknownCommand(tree, args) !== undefined) {
        err.write(
          `Unknown help topic [${args.map((word) => `\`${word}\``).join(" ")}]\n${usageText(tree, await helpStyle(err, factory.colours))}`,
        );
        return;
      }
      const { node } = await findNode(tree, args);
      if (node.module?.selfExplaining !== true) out.write(helpText(node, await helpStyle(out, factory.colours)));
    },
    completeArgs: completeCommands,
  };
}

const completeCommands: Completer = async (factory, { args, root, globalFlags }, toComplete) => {
  const tree = rootNode(withoutReplaced(root, factory), factory, globalFlags);
  const { node, argv } = await findNode(tree, args);
  const children = argv.length > 0 ? [] : (node.entry.children ?? []);
  const candidates = children
    .filter((child) => (child.hidden !== true || child.name === "help") && child.name.startsWith(toComplete))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((child) => `${child.name}\t${child.summary}`);
  return { candidates, directive: NO_FILE_COMP };
};
