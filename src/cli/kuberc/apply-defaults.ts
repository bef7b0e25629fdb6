import { goQuote } from "../../base/text/go-quote.js";
import { findNode } from "../command-node.js";
import { unknownCommand } from "../dispatch.js";
import type { CommandLine } from "./command-line.js";
import { earlyTree, namedCommand, wordsOf } from "./find-command.js";
import type { CommandDefaults } from "./preference.js";
import { CommandPresets } from "./presets.js";

/**
 * The line with the defaults of its command set. kubectl compares the last words of commands only: those of `config view`
 * are those of `kuberc view`, too. They never are those of an alias.
 */
export async function applyDefaults(line: CommandLine, defaults: readonly CommandDefaults[]): Promise<CommandLine> {
  const { argv, host } = line;
  const tree = earlyTree(line);
  if (defaults.length === 0 || unknownCommand(tree, argv) !== undefined) return line;
  const { node } = await findNode(tree, argv);
  const presets = new CommandPresets(node.entry);
  let found = false;
  for (const { command, options } of defaults) {
    const named = namedCommand(tree, wordsOf(command));
    if (named === undefined) {
      host.streams.err.write(`Warning: command ${goQuote(command)} not found to set kuberc override\n`);
      continue;
    }
    if (named.entry.name !== node.entry.name) continue;
    if (node.entry.standsFor !== undefined) {
      throw new Error(`alias ${node.entry.name} can not be overridden`);
    }
    const written = presets.set(node, options, argv, {
      unknown: (option) => `invalid flag ${option.name} for command ${command}`,
      invalid: (option, reason) =>
        `could not apply override value ${option.default} to flag ${option.name} in command ${command} err: ${reason}`,
    });
    presets.standsFor(argv.join(" ") + written);
    found = true;
  }
  return found ? { ...line, presets } : line;
}
