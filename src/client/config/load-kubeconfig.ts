import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type CommandFiles, machineFiles } from "../../base/files/command-files.js";
import { errorMessage } from "../../base/text/error-message.js";
import { errorCode, PathError } from "../../base/files/path-error.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { decodeKubeconfig } from "./decode-kubeconfig.js";
import { emptyKubeconfig, type Kubeconfig } from "./kubeconfig.js";
import { mergeKubeconfigs } from "./merge-kubeconfigs.js";

/** The locations of kubeconfigs. */
export interface KubeconfigSources {
  /** --kubeconfig; "" when not given. The file must exist, and no other file is read. */
  readonly explicitPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of relative file names. Messages keep the names as given. */
  readonly cwd: string;
  /** Default: the files of this machine. */
  readonly files?: CommandFiles | undefined;
  /** Logs each file that was read. */
  readonly log?: VerboseLog | undefined;
}

/** The files in order of precedence: --kubeconfig, else the list in KUBECONFIG, else ~/.kube/config. They need not exist. */
export function kubeconfigFiles({ explicitPath, env }: KubeconfigSources): readonly string[] {
  if (explicitPath !== "") return [explicitPath];
  const list = env["KUBECONFIG"];
  if (list !== undefined && list !== "") return [...new Set(list.split(delimiter))].filter((file) => file !== "");
  return [join(homeDirectory(env), ".kube", "config")];
}

/** HOME (USERPROFILE on Windows) of the given environment, else the system's home directory. */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env["HOME"] || env["USERPROFILE"] || homedir();
}

/**
 * Reads the kubeconfigs, and merges them by {@link mergeKubeconfigs}. Missing files are skipped, except --kubeconfig. With `resolvePaths`
 * (the default) relative paths become absolute, resolved against the folder of their file.
 */
export async function loadKubeconfig(
  sources: KubeconfigSources,
  { resolvePaths = true }: { readonly resolvePaths?: boolean } = {},
): Promise<Kubeconfig> {
  if (sources.explicitPath !== "") requireFile(sources.explicitPath, sources);
  const configs: Kubeconfig[] = [];
  const failures: Error[] = [];
  for (const file of kubeconfigFiles(sources)) {
    try {
      const loaded = await loadKubeconfigFile(file, sources);
      if (loaded) configs.push(loaded);
    } catch (error) {
      failures.push(new Error(`error loading config file "${file}": ${errorMessage(error)}`, { cause: error }));
    }
  }
  if (failures.length === 1 && failures[0]) throw failures[0];
  if (failures.length > 1) {
    throw new AggregateError(failures, `[${failures.map((failure) => failure.message).join(", ")}]`);
  }
  return mergeKubeconfigs(configs, resolvePaths ? sources.cwd : undefined);
}

/** Reads one file with its paths as written; undefined when it does not exist. Errors do not contain its name. */
export async function loadKubeconfigFile(
  file: string,
  { cwd, log, files = machineFiles }: Pick<KubeconfigSources, "cwd" | "files" | "log">,
): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = files.readFileSync(resolve(cwd, file)).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new PathError(errorCode(error) === "EISDIR" ? "read" : "open", file, error);
  }
  const loaded = text === "" ? emptyKubeconfig() : decodeKubeconfig(await parseKubeconfig(text), file);
  log?.info(6, "loader.go:408", `Config loaded from file:  ${file}`);
  return loaded;
}

/** Parses JSON without loading the YAML parser, which costs more than the rest of a command's start. */
export async function parseKubeconfig(text: string): Promise<JsonValue> {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // The text is flow-style YAML or invalid; the YAML parser decides.
    }
  }
  const { parseYaml } = await import("../../machinery/text/yaml/read.js");
  try {
    return parseYaml(text);
  } catch (error) {
    throw new Error(errorMessage(error).replace(/^error converting YAML to JSON: /, ""), { cause: error });
  }
}

function requireFile(file: string, { cwd, files = machineFiles }: KubeconfigSources): void {
  try {
    files.statSync(resolve(cwd, file));
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new PathError("stat", file, error);
  }
}
