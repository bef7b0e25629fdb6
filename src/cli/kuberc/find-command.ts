import type { CommandNode } from "../command-node.js";
import { rootNode, unknownCommand } from "../dispatch.js";
import type { CommandLine } from "./command-line.js";

/** Returns the tree of commands while preferences are applied: cobra adds `help` later. */
export function earlyTree({ root, host, globals }: Omit<CommandLine, "argv">): CommandNode {
  const children = root.children?.filter(({ name, standsFor }) => name !== "help" || standsFor !== undefined);
  return rootNode({ ...root, ...(children !== undefined && { children }) }, host, globals);
}

/** Returns the last command that the words name, without loading a module; undefined when the first word names none. */
export function namedCommand(tree: CommandNode, words: readonly string[]): CommandNode | undefined {
  if (unknownCommand(tree, words) !== undefined) return undefined;
  let node = tree;
  for (let rest = words; ; ) {
    const found = node.findChild(rest);
    if (found === undefined) return node;
    node = node.child(found.entry, found.name);
    rest = found.argv;
  }
}

export const wordsOf = (command: string): readonly string[] => command.split(/\s+/).filter((word) => word !== "");
