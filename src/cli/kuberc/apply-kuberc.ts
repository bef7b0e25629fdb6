import { errorMessage } from "../../base/text/error-message.js";
import { PathError } from "../../base/files/path-error.js";
import { klogLine } from "../../client/klog.js";
import { validatePluginPolicy } from "../../client/auth/plugin-policy.js";
import type { Host } from "../connect/host.js";
import { applyAlias } from "./apply-alias.js";
import { applyDefaults } from "./apply-defaults.js";
import type { CommandLine } from "./command-line.js";
import { decodePreferences } from "./decode-preference.js";
import type { Preference } from "./preference.js";
import { type KubercFile, kubercError } from "./read-kuberc.js";

/**
 * What the user's preferences make of a command line: defaults and aliases, and which credential plugins may run. A file
 * at its default place only causes a warning. @throws ExitError with kubectl's words, printed as they are
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
