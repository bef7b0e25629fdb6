import { errorMessage } from "../../base/text/error-message.js";
import { PathError } from "../../base/files/path-error.js";
import { goQuote } from "../../base/text/go-quote.js";
import { klogLine } from "../../machinery/text/klog/klog.js";
import { validatePluginPolicy } from "../../client/auth/plugin-policy.js";
import { findNode } from "../command-node.js";
import type { Host } from "../connect/host.js";
import { unknownCommand } from "../dispatch.js";
import { applyAlias } from "./aliases.js";
import { type CommandLine, CommandPresets, earlyTree, namedCommand, wordsOf } from "./command-line.js";
import { decodePreferences } from "./decode-preference.js";
import type { CommandDefaults, Preference } from "./preference-schema.js";
import { type KubercFile, kubercError } from "./read-kuberc.js";

/**
 * Applies the user's preferences to a command line: defaults, aliases, and the policy for credential plugins. Faults of the
 * default file are only warnings. @throws ExitError with kubectl's text
 */
export async function applyKuberc(file: KubercFile, line: CommandLine): Promise<CommandLine> {
  try {
    const preference = load(file, line);
    if (preference === undefined) return line;
    validate(preference);
    const host = { ...line.host, pluginPolicy: preference.pluginPolicy };
    const { aliases, defaults } = preference;
    return await applyDefaults(await applyAlias({ ...line, host }, aliases), defaults);
  } catch (error) {
    throw kubercError(errorMessage(error));
  }
}

/** kubectl ends none of these lines with a line break. */
function load({ path, explicit, content }: KubercFile, { host, argv }: CommandLine): Preference | undefined {
  const { err } = host.streams;
  try {
    const { text } = content;
    if (text === undefined) throw new PathError("open", path, content.error);
    const decoded = decodePreferences(text, path, logger(argv, host));
    if (decoded === undefined) return undefined;
    if (decoded.strictError !== "") {
      err.write(`kuberc: ignoring strict decoding error in ${path}: ${decoded.strictError}`);
    }
    return decoded.preference;
  } catch (error) {
    const reason = errorMessage(error);
    if (explicit) throw new Error(`kuberc error kuberc: ${reason}`, { cause: error });
    err.write(`kuberc: no preferences loaded from ${path}: ${reason}`);
    return undefined;
  }
}

/** Flags are not read yet: what looks like -v=5 counts. */
function logger(argv: readonly string[], { clock, pid, streams }: Host): (source: string, line: string) => void {
  const level = /(?:^| )--?v[= ]?(\d+)(?= |$)/.exec(argv.join(" "))?.[1];
  if (Number(level ?? 0) < 5) return () => undefined;
  return (source, line) => void streams.err.write(klogLine("I", source, line, new Date(clock.now()), pid));
}

function validate({ aliases, defaults, pluginPolicy }: Preference): void {
  const seen = new Set<string>();
  for (const { name, options } of aliases) {
    if (!/^[a-zA-Z]+$/.test(name)) throw new Error("invalid alias name, can only include alphabetical characters");
    requireLongNames(options);
    if (seen.has(name)) throw new Error(`duplicate alias name ${name}`);
    seen.add(name);
  }
  for (const { options } of defaults) requireLongNames(options);
  validatePluginPolicy(pluginPolicy);
}

function requireLongNames(options: Preference["defaults"][number]["options"]): void {
  const short = options.find(({ name }) => name.startsWith("-"));
  if (short !== undefined) throw new Error(`flag name ${short.name} should be in long form without dashes`);
}

/**
 * Sets the defaults of the line's command. kubectl compares only the last words of commands: the defaults of `config view` also apply to
 * `kuberc view`. They never apply to an alias.
 */
async function applyDefaults(line: CommandLine, defaults: readonly CommandDefaults[]): Promise<CommandLine> {
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
