import { basename } from "node:path";
import { findNode, type CommandNode } from "../../src/cli/command-node.js";
import { invocationOf, rootNode, unknownCommand } from "../../src/cli/dispatch.js";
import { globalFlags } from "../../src/cli/flags/global-flags.js";
import { parseFlags } from "../../src/component/flags/parse-flags.js";
import type { Host } from "../../src/cli/connect/host.js";
import { root } from "../../src/commands/root.js";
import { simpleCommands } from "../parity/coverage/shell-words.js";

/** What may stand before the program in its command. */
const BEFORE = /^(?:[A-Za-z_]\w*=.*|!|\{|if|then|else|do|while|until|env|exec|sudo|timeout|time|xargs|command)$/s;

/**
 * What is wrong with the calls of kubets and kubectl in lines of a shell: a command or a flag that does not exist, or operands that
 * the command does not take. Nothing is run.
 */
export async function commandFaults(script: string): Promise<readonly string[]> {
  const lines = script.replaceAll("\\\n", " ").split("\n");
  const calls = lines.flatMap((line) => simpleCommands(line)).map(({ words }) => words.map(({ text }) => text));
  const faults = await Promise.all(calls.map((words) => faultsOfCall(words)));
  return faults.flat();
}

/** Of one command, which may start another: `kubets cluster run -- COMMAND`. */
async function faultsOfCall(words: readonly string[]): Promise<readonly string[]> {
  const at = words.findIndex((word) => !BEFORE.test(word));
  const [program = "", ...argv] = words.slice(at);
  if (at < 0 || !/^kube(?:ts|ctl)$/.test(basename(program))) return [];
  const fault = await faultOf(program, argv);
  const dash = argv.indexOf("--");
  const inner = dash < 0 ? [] : await faultsOfCall(argv.slice(dash + 1));
  return [...(fault === undefined ? [] : [`${words.join(" ")}: ${fault}`]), ...inner];
}

async function faultOf(program: string, argv: readonly string[]): Promise<string | undefined> {
  const globals = globalFlags("/cache");
  const tree = rootNode(root, { program, env: {}, cwd: "/", platform: "linux" }, globals);
  const unknown = unknownCommand(tree, argv);
  if (unknown !== undefined) return `unknown command "${unknown}"`;
  const { node, argv: rest } = await findNode(tree, argv);
  try {
    return checkArguments(node, rest);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checkArguments(node: CommandNode, argv: readonly string[]): string | undefined {
  if (node.module?.disableFlagParsing === true) return undefined;
  const parsed = parseFlags(node.flagTable(), argv);
  // Checks of operands read the command line alone.
  const host = { signal: new AbortController().signal } as Partial<Host> as Host;
  if (node.module !== undefined) {
    node.module.validateArgs?.(invocationOf(node, parsed, root, host));
  } else if (node.entry !== root && parsed.args.length > 0) {
    return `unknown command "${parsed.args.join(" ")}"`;
  }
  return undefined;
}
