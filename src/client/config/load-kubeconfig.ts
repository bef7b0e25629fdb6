import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { errorCode, PathError } from "../../base/path-error.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { VerboseLog } from "../klog.js";
import { decodeKubeconfig } from "./decode-kubeconfig.js";
import { emptyKubeconfig, type Kubeconfig } from "./kubeconfig.js";

/** Where kubeconfigs are looked for. */
export interface KubeconfigSources {
  /** --kubeconfig; "" when not given. It must exist, and nothing else is read. */
  readonly explicitPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative file names are resolved against it; messages keep them as given. */
  readonly cwd: string;
  /** Is told of each file that was read. */
  readonly log?: VerboseLog | undefined;
}

/** The files in order of precedence: --kubeconfig, else the list in KUBECONFIG, else ~/.kube/config. They need not exist. */
export function kubeconfigFiles({ explicitPath, env }: KubeconfigSources): readonly string[] {
  if (explicitPath !== "") return [explicitPath];
  const list = env["KUBECONFIG"];
  if (list !== undefined && list !== "") return [...new Set(list.split(delimiter))].filter((file) => file !== "");
  return [join(homeDirectory(env), ".kube", "config")];
}

/** HOME (USERPROFILE on Windows) of the environment that was given, else the system's. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

/**
 * Reads and merges the kubeconfigs. The first file to define a cluster, user or context wins whole; the current context
 * is the first one set. Missing files are skipped, save --kubeconfig. With `resolvePaths` (the default) relative paths
 * become absolute, seen from the file they stand in.
 */
export async function loadKubeconfig(
  sources: KubeconfigSources,
  { resolvePaths = true }: { readonly resolvePaths?: boolean } = {},
): Promise<Kubeconfig> {
  if (sources.explicitPath !== "") requireFile(sources.explicitPath, sources.cwd);
  const merged = emptyKubeconfig();
  const failures: Error[] = [];
  for (const file of kubeconfigFiles(sources)) {
    try {
      const loaded = await loadKubeconfigFile(file, sources);
      if (loaded) merge(merged, loaded);
    } catch (error) {
      failures.push(new Error(`error loading config file "${file}": ${messageOf(error)}`, { cause: error }));
    }
  }
  if (failures.length === 1 && failures[0]) throw failures[0];
  if (failures.length > 1) {
    throw new AggregateError(failures, `[${failures.map((failure) => failure.message).join(", ")}]`);
  }
  if (resolvePaths) resolveLocalPaths(merged, sources.cwd);
  return merged;
}

/** One file, paths as written; undefined when it does not exist. Throws what is wrong with it, without its name. */
export async function loadKubeconfigFile(
  file: string,
  { cwd, log }: Pick<KubeconfigSources, "cwd" | "log">,
): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new PathError(errorCode(error) === "EISDIR" ? "read" : "open", file, error);
  }
  const loaded = text === "" ? emptyKubeconfig() : decodeKubeconfig(await parse(text), file);
  log?.info(6, "loader.go:407", `Config loaded from file:  ${file}`);
  return loaded;
}

/** JSON is read without loading the YAML reader, which costs more than the rest of a command's start. */
async function parse(text: string): Promise<JsonValue> {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // Flow-style YAML, or broken: the YAML reader knows which.
    }
  }
  const { parseYaml } = await import("../../machinery/yaml/read.js");
  try {
    return parseYaml(text);
  } catch (error) {
    throw new Error(messageOf(error).replace(/^error converting YAML to JSON: /, ""), { cause: error });
  }
}

function requireFile(file: string, cwd: string): void {
  try {
    statSync(resolve(cwd, file));
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new PathError("stat", file, error);
  }
}

function merge(into: Kubeconfig, from: Kubeconfig): void {
  keepFirst(into.clusters, from.clusters);
  keepFirst(into.users, from.users);
  keepFirst(into.contexts, from.contexts);
  keepFirst(into.extensions, from.extensions);
  if (into.currentContext === "") into.currentContext = from.currentContext;
  into.preferences = { ...from.preferences, ...into.preferences };
}

function keepFirst<T>(into: Map<string, T>, from: Map<string, T>): void {
  for (const [name, entry] of from) {
    if (!into.has(name)) into.set(name, entry);
  }
}

const USER_PATHS = ["client-certificate", "client-key", "tokenFile"] as const;

/** Makes every path of an entry absolute, seen from the folder of the file the entry came from. */
export function resolveLocalPaths(config: Kubeconfig, cwd: string): void {
  for (const cluster of config.clusters.values()) {
    const authority = absolute(cluster["certificate-authority"], cluster.origin, cwd);
    if (authority !== undefined) cluster["certificate-authority"] = authority;
  }
  for (const user of config.users.values()) {
    for (const key of USER_PATHS) {
      const path = absolute(user[key], user.origin, cwd);
      if (path !== undefined) user[key] = path;
    }
    // A bare command name is looked up on PATH; anything with a separator is a path.
    if (user.exec?.command.includes(sep)) {
      user.exec.command = absolute(user.exec.command, user.origin, cwd) ?? user.exec.command;
    }
  }
}

function absolute(path: string | undefined, origin: string, cwd: string): string | undefined {
  if (path === undefined || path === "" || origin === "" || isAbsolute(path)) return path;
  return join(dirname(resolve(cwd, origin)), path);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
