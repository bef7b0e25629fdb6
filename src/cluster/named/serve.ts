import { etcdOptions } from "../../component/apiserver-flags/etcd.js";
import { argumentsOf } from "../../component/option-group.js";
import { isStorageUrl, redactedUrl, STORAGE_VARIABLE } from "../../component/storage-url.js";
import { spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import type { Clock } from "../../base/time/clock.js";
import { keepPrivate } from "../../base/files/private-files.js";
import { ownProgram } from "../../base/files/own-program.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { addContext } from "../../client/config/kubeconfig-additions.js";
import { clusterOfContext, clustersFolder } from "../../client/config/named-cluster.js";
import { schemeOf } from "../../server/storage/storage-schemes.js";
import { type LeadershipEvent, startCluster } from "../index.js";
import {
  ClusterHome,
  type ClusterRecord,
  type StorageChoice,
  type StorageKind,
  claimDataDir,
  removeDataDir,
  namedClusterError,
} from "./cluster-home.js";
import { versionToStart } from "./kept-version.js";
import { clusterState } from "./cluster-state.js";
import { followsFiles, serverArguments, type ServerChoice } from "./server-choice.js";

export interface NamedClusterOptions {
  readonly name: string;
  /** undefined: what the cluster had, disk for a new one. */
  readonly storage: StorageChoice | undefined;
  /** Of this start only, but for the number of nodes and the version of Kubernetes. */
  readonly server: ServerChoice;
  /** Whether a cluster that stores what an older version does not know is started at that version all the same. */
  readonly downgrade: boolean;
  /** 0: the port of the last start if it is free, else any. */
  readonly port: number;
  /** "": inside the cluster's own folder. */
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Ends the start when it aborts: the call rejects with its reason. It does not end what has started. */
  readonly signal: AbortSignal;
  /** Receives what the cluster starts in spite of. */
  readonly warn: (text: string) => void;
  /** Receives a line about the election of a leader after the start. */
  readonly say: (line: string) => void;
  /** Receives the faults of the server where it follows files. */
  readonly reportError: (error: unknown) => void;
  /** Takes the lines of -v: kubeconfigs that are read, requests. */
  readonly log?: VerboseLog | undefined;
}

export interface ServedCluster {
  readonly url: string;
  readonly context: string;
  /** The kubeconfig file the context was written to. */
  readonly kubeconfig: string;
  readonly pid: number;
  readonly storage: StorageKind;
  /** When the server began to start, in milliseconds since the epoch. */
  readonly began: number;
  /** What the server started in spite of. */
  readonly warnings: readonly string[];
  /** Lines that name the Leases which other servers hold. */
  readonly waits: readonly string[];
}

/**
 * Serves a named cluster from this process until `close`. When it resolves the API is ready, the record is written and
 * the context is current; when it rejects none of that has happened.
 */
export async function serveNamedCluster(
  given: NamedClusterOptions,
): Promise<ServedCluster & { close(): Promise<void> }> {
  const options = { ...given, storage: located(given) };
  const home = new ClusterHome(clustersFolder(options.env, options.cwd), options.name);
  const record = await startable(home, options);
  const storage = options.storage ?? choiceOf(record);
  const dataDir =
    options.dataDir === "" && record !== undefined ? record.dataDir : home.dataDir(options.dataDir, options.cwd);
  const claimed = await claimDataDir(dataDir);
  try {
    return await serveFrom(dataDir, storage, home, record, options);
  } catch (error) {
    if (claimed) await removeDataDir(dataDir);
    if (record === undefined) await home.remove();
    throw error;
  }
}

async function serveFrom(
  dataDir: string,
  choice: StorageChoice,
  home: ClusterHome,
  last: ClusterRecord | undefined,
  options: NamedClusterOptions,
): Promise<ServedCluster & { close(): Promise<void> }> {
  const { server } = options;
  const { nodes = last?.nodes ?? 1 } = server;
  const began = options.clock.now();
  const warnings: string[] = [];
  const waits: string[] = [];
  const warn = (warning: string): void => {
    warnings.push(warning);
    options.warn(warning);
  };
  const kubernetesVersion = await versionToStart(last, { ...options, warn });
  let isReady = false;
  const leadership = leadershipLines();
  const kept = {
    ...choice,
    onLeadership(event: LeadershipEvent) {
      const line = leadership(event);
      if (line === undefined) return;
      if (isReady) options.say(line);
      else waits.push(line);
    },
    dataDir,
    signal: options.signal,
    onWarning: warn,
    ...(followsFiles(server) && { onError: options.reportError }),
  };
  const start = (port: number) => startCluster({ ...kept, ...server, kubernetesVersion, nodes, port });
  const cluster = await listen(options.port, last?.port, (port) => start(port).catch((error) => naming(choice, error)));
  try {
    const current = await addContext(home.context, cluster.kubeconfig(), options);
    await home.saveKubeconfig(cluster.kubeconfig());
    await home.save({
      name: home.name,
      ...choice,
      dataDir,
      port: Number(new URL(cluster.url).port),
      url: cluster.url,
      kubernetesVersion,
      nodes,
      formerContexts: await formerContexts(home, current.former, last),
      pid: process.pid,
      startedAt: new Date().toISOString(),
    });
    isReady = true;
    return {
      url: cluster.url,
      context: home.context,
      kubeconfig: current.file,
      pid: process.pid,
      storage: choice.storage,
      began,
      warnings,
      waits,
      close: () => cluster.close(),
    };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/**
 * The contexts to go back to when the cluster is deleted: the one that was current when it started, then those that were before that
 * one, where it is the context of another cluster.
 */
async function formerContexts(
  home: ClusterHome,
  former: string,
  last: ClusterRecord | undefined,
): Promise<readonly string[]> {
  if (former === "" || former === home.context) return last?.formerContexts ?? [];
  const other = clusterOfContext(former);
  const before =
    other === undefined ? undefined : await new ClusterHome(home.clusters, other).record().catch(() => undefined);
  return [...new Set([former, ...(before?.formerContexts ?? [])])].filter((context) => context !== home.context);
}

/** The storage of the flags, which means the same in every working directory. */
function located({ storage: choice, cwd }: NamedClusterOptions): StorageChoice | undefined {
  if (choice === undefined || !isStorageUrl(choice.storage)) return choice;
  const { storage } = choice;
  return { storage: schemeOf(storage).absolute?.(storage, cwd) ?? storage };
}

/** Serves a named cluster from a process of its own and resolves when it is ready. */
export async function startDetached(given: NamedClusterOptions): Promise<ServedCluster> {
  const options = { ...given, storage: located(given) };
  const home = new ClusterHome(clustersFolder(options.env, options.cwd), options.name);
  await startable(home, options);
  home.make();
  keepPrivate(home.log);
  const log = await open(home.log, "w+", 0o600);
  try {
    const [command = "", ...script] = ownProgram(process);
    const args = ["cluster", "start", options.name, `--port=${options.port}`, `--data-dir=${options.dataDir}`];
    if (options.storage !== undefined) args.push(...storageArguments(options.storage));
    args.push(...serverArguments(options.server));
    if (options.downgrade) args.push("--downgrade");
    const child = spawn(command, [...script, ...args], {
      cwd: options.cwd,
      env: { ...options.env, ...storageVariable(options.storage) },
      detached: true,
      windowsHide: true,
      stdio: ["ignore", "pipe", log.fd, "ipc"],
    });
    child.stdout?.resume();
    const { signal } = options;
    const end = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    const served = await new Promise<ServedCluster>((resolve, reject) => {
      child.once("message", (message) => resolve(message as ServedCluster));
      child.once("error", reject);
      child.once("exit", () => {
        if (signal.aborted) reject(signal.reason as Error);
        else void reasonIn(log).then((line) => reject(namedClusterError(line)), reject);
      });
    }).finally(() => signal.removeEventListener("abort", end));
    for (const warning of served.warnings) options.warn(warning);
    child.disconnect();
    child.stdout?.destroy();
    child.unref();
    return served;
  } finally {
    await log.close();
  }
}

/** The record of a cluster that may be started now; undefined for a new one. Throws when it runs or does not fit. */
async function startable(home: ClusterHome, options: NamedClusterOptions): Promise<ClusterRecord | undefined> {
  const record = await home.record();
  if (record === undefined) return undefined;
  const state = await clusterState(home, record, options);
  if (state !== "Stopped") {
    throw namedClusterError(
      `cluster "${home.name}" is already running at ${record.url} (process ${record.pid}); stop it with: kubets cluster stop ${home.name}`,
    );
  }
  if (options.dataDir !== "" && home.dataDir(options.dataDir, options.cwd) !== record.dataDir) {
    throw namedClusterError(
      `cluster "${home.name}" keeps its data in ${record.dataDir}; start it without --data-dir, or remove it first with: kubets cluster delete ${home.name}`,
    );
  }
  const wanted = options.storage;
  if (wanted !== undefined && wanted.storage !== record.storage) {
    throw namedClusterError(
      `cluster "${home.name}" keeps its objects in ${placeOf(record.storage)}, not ${placeOf(wanted.storage)}; remove it first with: kubets cluster delete ${home.name}`,
    );
  }
  return record;
}

const placeOf = (storage: StorageKind): string =>
  isStorageUrl(storage) ? redactedUrl(storage) : { memory: "memory", disk: "a folder", etcd: "etcd" }[storage];

function choiceOf(record: ClusterRecord | undefined): StorageChoice {
  if (record?.storage !== "etcd") return { storage: record?.storage ?? "disk" };
  if (record.etcd === undefined)
    throw namedClusterError(
      `the record of cluster "${record.name}" does not say where its etcd is; remove it with: kubets cluster delete ${record.name}`,
    );
  return { storage: "etcd", etcd: record.etcd };
}

/** A URL may have a password, which no list of processes shall show: the variable {@link STORAGE_VARIABLE} says it. */
const storageArguments = ({ storage, etcd = { servers: [] } }: StorageChoice): readonly string[] => [
  ...(isStorageUrl(storage) ? [] : [`--storage=${storage}`]),
  ...(etcd.servers.length === 0 ? [] : argumentsOf(etcdOptions, etcd)),
];

const storageVariable = (choice: StorageChoice | undefined): Readonly<Record<string, string>> =>
  choice !== undefined && isStorageUrl(choice.storage) ? { [STORAGE_VARIABLE]: choice.storage } : {};

/** Listens on the port asked for, else on the last one, else on any that is free. */
async function listen<T>(wanted: number, last: number | undefined, start: (port: number) => Promise<T>): Promise<T> {
  const inUse = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  try {
    return await start(wanted === 0 ? (last ?? 0) : wanted);
  } catch (error) {
    if (!inUse(error)) throw plainly(error);
    if (wanted !== 0) {
      throw namedClusterError(
        `port ${wanted} is already in use; choose another with --port, or leave it out for a free one`,
      );
    }
    return await start(0);
  }
}

/** What etcd or the way to it is refused by means little without its address. */
function naming({ etcd }: StorageChoice, error: unknown): never {
  if (etcd === undefined || !isStatusError(error)) throw error;
  throw namedClusterError(`cannot use the etcd at ${etcd.servers.join(", ")}: ${error.message}`);
}

/** What is said of a folder in use or damaged, or of a name that another server has, is for the user; its own words stay. */
function plainly(error: unknown): unknown {
  const isForUser =
    error instanceof Error && ["DataDirectoryError", "ServerNameError", "StorageError"].includes(error.name);
  return isForUser ? namedClusterError(error.message) : error;
}

/** Why the server ended, or what it said first. Its folder may be gone by now, so the open file is read. */
async function reasonIn(log: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(4096), position: 0 });
  const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
  const line = lines.find((one) => one.startsWith("error: ")) ?? lines[0] ?? "";
  return line.replace(/^error: /, "") || "the server ended before it was ready";
}

const WORK = {
  "kube-system/kube-controller-manager": "controllers",
  "kube-system/kube-scheduler": "scheduler",
} as const;

/**
 * Makes a function that turns events of elections into lines for the user. A server that leads at once and is stopped in the end gets no
 * line.
 */
export function leadershipLines(): (event: LeadershipEvent) => string | undefined {
  /** The Leases of which something was said. */
  const told = new Set<string>();
  return (event) => {
    const { type, lease } = event;
    if (type === "request") return undefined;
    const work = WORK[lease as keyof typeof WORK];
    if (type === "began") return told.has(lease) ? `${work}: this server leads now, by Lease ${lease}` : undefined;
    if (type === "ended" && event.reason === undefined) return undefined;
    told.add(lease);
    if (type === "ended") return `${work}: this server no longer leads: ${event.reason}`;
    const until = new Date(event.until).toISOString().replace(/\.\d+/, "");
    return `${work}: waiting for Lease ${lease}, which ${event.holder} holds until ${until} unless it renews it`;
  };
}
