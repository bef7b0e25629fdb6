import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type CommandFiles, machineFiles } from "../../base/files/command-files.js";
import { errorCode, PathError } from "../../base/files/path-error.js";
import { encodeCluster, encodeContext, encodeKubeconfig, encodeUser } from "./encode-kubeconfig.js";
import { emptyKubeconfig, type Kubeconfig, type KubeconfigCluster, type KubeconfigUser } from "./kubeconfig.js";
import { kubeconfigFiles, type KubeconfigSources, loadKubeconfig, loadKubeconfigFile } from "./load-kubeconfig.js";

/**
 * Loads the kubeconfigs for a command that changes them: all files merged, with paths as written. Empty when there are no
 * files.
 */
export async function startingKubeconfig(sources: KubeconfigSources): Promise<Kubeconfig> {
  try {
    return await loadKubeconfig(sources, { resolvePaths: false });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return emptyKubeconfig();
    throw error;
  }
}

/** The file for new entries: --kubeconfig, else the first file of the list that exists, else the last. */
export function defaultKubeconfigFile(sources: KubeconfigSources): string {
  const names = kubeconfigFiles(sources);
  const { cwd, files = machineFiles } = sources;
  const existing = names.length > 1 ? names.find((name) => files.existsSync(resolve(cwd, name))) : names[0];
  return existing ?? names.at(-1) ?? "";
}

/**
 * Writes the differences between `start` and `wanted` to the files, and keeps what other processes have written since
 * `start` was loaded. A changed entry goes to the file that it came from, a new one to the default file. Only files with a
 * difference are written, under the lock files of all. `relativize` writes paths below a file's folder relative to it.
 */
export async function modifyKubeconfig(
  sources: KubeconfigSources,
  change: { readonly start: Kubeconfig; readonly wanted: Kubeconfig },
  relativize: boolean,
): Promise<void> {
  const { start, wanted } = change;
  await withLocks(sources, () => new Change(sources, start, wanted, relativize).write());
}

const ENCODERS = { clusters: encodeCluster, users: encodeUser, contexts: encodeContext } as const;

class Change {
  constructor(
    readonly sources: KubeconfigSources,
    readonly start: Kubeconfig,
    readonly wanted: Kubeconfig,
    readonly relativize: boolean,
  ) {}

  async write(): Promise<void> {
    const before = await startingKubeconfig(this.sources);
    const { start, wanted } = this;
    if (differs((config) => config.currentContext, wanted, start, before)) await this.#writeCurrentContext();
    if (differs((config) => config.preferences, wanted, start, before)) await this.#writePreferences();
    await this.#writeClusters(before);
    await this.#writeContexts(before);
    await this.#writeUsers(before);
    for (const section of ["clusters", "contexts", "users"] as const) await this.#remove(before, section);
  }

  async #writeClusters(before: Kubeconfig): Promise<void> {
    for (const [name, cluster] of changed(
      this.wanted.clusters,
      [this.start.clusters, before.clusters],
      ENCODERS.clusters,
    )) {
      await this.#edit(cluster.origin, (config, file) => {
        config.clusters.set(name, this.relativize ? this.#relative(cluster, ["certificate-authority"], file) : cluster);
      });
    }
  }

  async #writeContexts(before: Kubeconfig): Promise<void> {
    for (const [name, context] of changed(
      this.wanted.contexts,
      [this.start.contexts, before.contexts],
      ENCODERS.contexts,
    )) {
      await this.#edit(context.origin, (config) => void config.contexts.set(name, context));
    }
  }

  async #writeUsers(before: Kubeconfig): Promise<void> {
    for (const [name, user] of changed(this.wanted.users, [this.start.users, before.users], ENCODERS.users)) {
      await this.#edit(user.origin, (config, file) => {
        config.users.set(name, this.relativize ? this.#relativeUser(user, file) : user);
      });
    }
  }

  async #remove(before: Kubeconfig, section: keyof typeof ENCODERS): Promise<void> {
    for (const [name, { origin }] of before[section]) {
      if (this.start[section].has(name) && !this.wanted[section].has(name))
        await this.#edit(origin, (config) => void config[section].delete(name));
    }
  }

  /** A new current context goes to the default file. An empty one clears it in the file that sets it. */
  async #writeCurrentContext(): Promise<void> {
    const { currentContext } = this.wanted;
    if ((await startingKubeconfig(this.sources)).currentContext === currentContext) return;
    const set = (config: Kubeconfig): void => {
      config.currentContext = currentContext;
    };
    if (this.sources.explicitPath !== "" || currentContext !== "") return await this.#edit("", set);
    for (const file of kubeconfigFiles(this.sources)) {
      const config = await loadKubeconfigFile(file, this.sources);
      if (config !== undefined && config.currentContext !== "") return await this.#edit(file, set);
    }
    throw new Error("no config found to write context");
  }

  async #writePreferences(): Promise<void> {
    for (const file of kubeconfigFiles(this.sources)) {
      const config = (await loadKubeconfigFile(file, this.sources)) ?? emptyKubeconfig();
      if (isDeepStrictEqual(config.preferences, this.wanted.preferences)) continue;
      return await this.#edit(file, (edited) => {
        edited.preferences = this.wanted.preferences;
      });
    }
    throw new Error("no config found to write preferences");
  }

  async #edit(origin: string, change: (config: Kubeconfig, file: string) => void): Promise<void> {
    const file = origin === "" ? defaultKubeconfigFile(this.sources) : origin;
    const config = (await loadKubeconfigFile(file, this.sources)) ?? emptyKubeconfig();
    change(config, file);
    await writeKubeconfig(config, file, this.sources);
  }

  #relativeUser(user: KubeconfigUser, file: string): KubeconfigUser {
    const changedUser = this.#relative(user, ["client-certificate", "client-key", "tokenFile"], file);
    const { exec } = changedUser;
    if (exec?.command.includes(sep) !== true) return changedUser;
    return { ...changedUser, exec: { ...exec, command: this.#relativePath(exec.command, file) } };
  }

  #relative<T extends KubeconfigCluster | KubeconfigUser>(entry: T, fields: readonly string[], file: string): T {
    const paths = Object.entries(entry).filter(
      ([name, value]) => fields.includes(name) && typeof value === "string" && value !== "",
    );
    return {
      ...entry,
      ...Object.fromEntries(paths.map(([name, path]) => [name, this.#relativePath(String(path), file)])),
    };
  }

  /** The path relative to the file's folder if it lies below it, else the path itself. */
  #relativePath(path: string, file: string): string {
    const base = dirname(resolve(this.sources.cwd, file));
    const full = isAbsolute(path) ? path : join(base, path);
    const short = relative(base, full);
    return short.startsWith(`..${sep}`) ? full : short;
  }
}

/** True when a field was changed and the files do not have the new value yet. */
function differs(
  field: (config: Kubeconfig) => unknown,
  wanted: Kubeconfig,
  ...others: readonly Kubeconfig[]
): boolean {
  return others.every((other) => !isDeepStrictEqual(field(other), field(wanted)));
}

/** The entries that differ from the ones of that name in all the others. */
function changed<T>(
  wanted: ReadonlyMap<string, T>,
  others: readonly ReadonlyMap<string, T>[],
  encode: (entry: T) => unknown,
): readonly [string, T][] {
  return [...wanted].filter(([name, entry]) =>
    others.every((other) => {
      const old = other.get(name);
      return old === undefined || !isDeepStrictEqual(encode(old), encode(entry));
    }),
  );
}

/** Writes a file, with its missing folders. Only its owner can read a new file. */
async function writeKubeconfig(
  config: Kubeconfig,
  file: string,
  { cwd, files = machineFiles }: KubeconfigSources,
): Promise<void> {
  const { emitYaml } = await import("../../machinery/text/yaml/emit.js");
  const path = resolve(cwd, file);
  makeFolder(dirname(path), files);
  try {
    files.writeFileSync(path, emitYaml(encodeKubeconfig(config)), { mode: 0o600 });
  } catch (error) {
    throw new PathError("open", file, error);
  }
}

/**
 * Runs `work` under the lock files of all the kubeconfigs, as kubectl does, so that the two tools exclude each other. Locks
 * the files in the order of their names. Throws a PathError at once when another process holds a lock.
 */
async function withLocks<T>(sources: KubeconfigSources, work: () => Promise<T>): Promise<T> {
  const { files = machineFiles } = sources;
  const held: string[] = [];
  try {
    for (const file of kubeconfigFiles(sources).toSorted()) held.push(lock(file, sources.cwd, files));
    return await work();
  } finally {
    for (const path of held) files.removeSync(path);
  }
}

function lock(file: string, cwd: string, files: CommandFiles): string {
  const path = resolve(cwd, `${file}.lock`);
  makeFolder(dirname(path), files);
  try {
    files.writeFileSync(path, "", { isNew: true, mode: 0 });
  } catch (error) {
    throw new PathError("open", `${file}.lock`, error);
  }
  return path;
}

function makeFolder(path: string, files: CommandFiles): void {
  if (!files.existsSync(path)) files.mkdirSync(path, { recursive: true, mode: 0o755 });
}
