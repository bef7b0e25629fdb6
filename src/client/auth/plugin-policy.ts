import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, join, normalize, sep } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { errnoText } from "../../base/files/path-error.js";
import { goQuote } from "../../base/text/go-quote.js";

/** The policy for the credential plugins of a kubeconfig. */
export interface PluginPolicy {
  /** "AllowAll", "DenyAll" or "Allowlist"; "" is AllowAll. */
  readonly type: string;
  /** The allowed plugins, as names on PATH or as paths. Only with Allowlist, and then not empty. */
  readonly allowlist?: readonly string[];
}

/** Throws for a policy that contradicts itself, because a silent mistake in it would be a security risk. */
export function validatePluginPolicy({ type, allowlist }: PluginPolicy): void {
  if (type === "Allowlist") return validateAllowlist(allowlist);
  if (!["", "AllowAll", "DenyAll"].includes(type)) throw new Error(`unknown plugin policy: ${goQuote(type)}`);
  if (allowlist !== undefined) {
    throw new Error(
      `misconfigured credential plugin allowlist: plugin policy is ${goQuote(type)} but allowlist is non-nil`,
    );
  }
}

function validateAllowlist(allowlist: readonly string[] | undefined): void {
  if (allowlist === undefined) {
    throw new Error('credential plugin policy set to "Allowlist", but allowlist is unspecified');
  }
  if (allowlist.length === 0) {
    throw new Error(
      'credential plugin policy set to "Allowlist", but allowlist is empty; use "DenyAll" policy instead',
    );
  }
  for (const [index, entry] of allowlist.entries()) {
    if (entry === "") throw new Error(`misconfigured credential plugin allowlist: empty allowlist entry #${index + 1}`);
    const cleaned = cleanPath(entry);
    if (cleaned !== entry) throw new Error(`non-normalized file path: ${goQuote(entry)} vs ${goQuote(cleaned)}`);
  }
}

/**
 * Returns the program to run for a plugin's command: the cleaned command, or the file that the search of the allowlist found
 * for it. Throws when the policy does not allow it.
 */
export function permittedPlugin(
  command: string,
  { type, allowlist = [] }: PluginPolicy,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (type === "DenyAll") throw new Error(`plugin ${goQuote(command)} not allowed: policy set to "DenyAll"`);
  if (type !== "Allowlist" || allowlist.includes(command)) return command;
  let file: string;
  try {
    file = lookPath(command, env);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(
      `plugin path ${goQuote(command)} cannot be resolved for credential plugin allowlist check: ${reason}`,
      { cause: error },
    );
  }
  const isListed = (entry: string): boolean =>
    entry === file || (basename(entry) === basename(file) && found(entry, env) === file);
  if (allowlist.some(isListed)) return file;
  throw new Error(`plugin path ${goQuote(file)} is not permitted by the credential plugin allowlist`);
}

/** Go's filepath.Clean: removes ".", "..", doubled separators and the last separator. */
export function cleanPath(path: string): string {
  const cleaned = normalize(path);
  return cleaned.length > 1 && cleaned.endsWith(sep) ? cleaned.slice(0, -1) : cleaned;
}

function found(command: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    return lookPath(command, env);
  } catch {
    return undefined;
  }
}

/** Go's exec.LookPath, with its error for a program that is not found. */
function lookPath(command: string, env: Readonly<Record<string, string | undefined>>): string {
  const windows = process.platform === "win32";
  const suffixes = windows ? ["", ...(env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";")] : [""];
  if (command.includes("/") || command.includes(sep)) {
    for (const suffix of suffixes) if (isExecutable(command + suffix)) return command + suffix;
    throw new Error(`exec: ${goQuote(command)}: ${whyNot(command)}`);
  }
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    for (const suffix of suffixes) {
      const file = join(folder === "" ? "." : folder, command + suffix);
      if (isExecutable(file)) return file;
    }
  }
  throw new Error(`exec: ${goQuote(command)}: executable file not found in ${windows ? "%PATH%" : "$PATH"}`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function whyNot(file: string): string {
  try {
    return statSync(file).isDirectory() ? "is a directory" : "permission denied";
  } catch (error) {
    return `stat ${file}: ${errnoText(error)}`;
  }
}
