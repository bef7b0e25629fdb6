import type { Clock } from "../../base/time/clock.js";
import { withMistyped } from "../../base/text/mistyped.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { isStorageUrl, redactedUrl } from "../../component/storage-url.js";
import { type CurrentContext, removeContext } from "../../client/config/kubeconfig-additions.js";
import { clustersFolder, isProcessAlive } from "../../client/config/named-cluster.js";
import { ClusterHome, type ClusterRecord, listClusters, removeDataDir, namedClusterError } from "./cluster-home.js";
import { type ClusterState, clusterState } from "./cluster-state.js";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Takes the lines of -v: kubeconfigs that are read, requests. */
  readonly log?: VerboseLog | undefined;
}

/** A cluster as `cluster list` shows it, even one whose record cannot be read. */
export interface ListedCluster {
  readonly name: string;
  readonly state: ClusterState | "Damaged";
  readonly record: ClusterRecord | undefined;
}

export interface ClusterStatus {
  readonly name: string;
  readonly context: string;
  readonly state: ClusterState;
  readonly record: ClusterRecord;
}

/** Reads the status of a named cluster. Throws when the cluster does not exist. */
export async function clusterStatus(name: string, around: Surroundings): Promise<ClusterStatus> {
  const home = new ClusterHome(clustersFolder(around.env, around.cwd), name);
  const record = await home.record();
  if (record === undefined) throw await noSuchCluster(name, around);
  return { name, context: home.context, state: await clusterState(home, record, around), record };
}

export async function listNamedClusters(around: Surroundings): Promise<readonly ListedCluster[]> {
  const homes = await listClusters(clustersFolder(around.env, around.cwd));
  const listed = await Promise.all(
    homes.map(async (home): Promise<readonly ListedCluster[]> => {
      try {
        const record = await home.record();
        return record === undefined
          ? []
          : [{ name: home.name, state: await clusterState(home, record, around), record }];
      } catch {
        return [{ name: home.name, state: "Damaged", record: undefined }];
      }
    }),
  );
  return listed.flat();
}

/** The names of {@link listNamedClusters}, in order, without a request to a server. */
export async function clusterNames({ env, cwd }: Pick<Surroundings, "env" | "cwd">): Promise<readonly string[]> {
  const homes = await listClusters(clustersFolder(env, cwd));
  const named = await Promise.all(
    homes.map(async (home) =>
      home.record().then(
        (record) => record !== undefined,
        () => true,
      ),
    ),
  );
  return homes.filter((_home, index) => named[index]).map(({ name }) => name);
}

/** Returns the name of the only cluster, for a `command` without a NAME. Throws when there is none, or several. */
export async function onlyCluster(command: string, around: Pick<Surroundings, "env" | "cwd">): Promise<string> {
  const names = await clusterNames(around);
  const [first, ...others] = names;
  if (first === undefined) throw namedClusterError("there is no cluster; make one with: kubets cluster start");
  if (others.length === 0) return first;
  throw namedClusterError(
    `there are ${names.length} clusters: ${names.join(", ")}; name the one you mean, as in: kubets cluster ${command} ${first}`,
  );
}

/**
 * Asks the server's process to end and waits until it is gone, at most 30 s. Resolves with false when it did not run. It sends the
 * signal only to a process that proved to be this cluster's server.
 */
export async function stopNamedCluster(name: string, around: Surroundings): Promise<boolean> {
  const { state, record } = await clusterStatus(name, around);
  if (state === "Stopped") return false;
  if (state === "Unresponsive") {
    throw namedClusterError(
      `cluster "${name}" does not answer at ${record.url}; end its process ${record.pid} yourself if it is stuck`,
    );
  }
  process.kill(record.pid, "SIGTERM");
  const deadline = Date.now() + 30_000;
  while (isProcessAlive(record.pid)) {
    if (Date.now() > deadline) {
      throw namedClusterError(
        `cluster "${name}" did not stop within 30 s; end its process ${record.pid} yourself if it is stuck`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/**
 * Stops the cluster, removes its context from the kubeconfig, and removes its folder and its data; data in etcd stays. If its
 * context was the current one, the previous one becomes current again. Resolves with that one, undefined where there is none.
 */
export async function deleteNamedCluster(name: string, around: Surroundings): Promise<CurrentContext | undefined> {
  const home = new ClusterHome(clustersFolder(around.env, around.cwd), name);
  const record = await home.record().catch(() => undefined);
  if (record === undefined) {
    if (!(await listClusters(home.clusters)).some((other) => other.name === name))
      throw await noSuchCluster(name, around);
  } else {
    await stopNamedCluster(name, around);
    // Beside a storage elsewhere it holds certificates only, which other servers of that storage may share.
    const isHere = record.storage === "memory" || record.storage === "disk";
    if (isHere) await removeDataDir(record.dataDir);
  }
  const current = await removeContext(home.context, record?.formerContexts ?? [], around);
  await home.remove();
  return current;
}

async function noSuchCluster(name: string, around: Surroundings): Promise<Error> {
  const known = await clusterNames(around);
  const error = namedClusterError(`there is no cluster named "${name}"; list the clusters with: kubets cluster list`);
  return withMistyped(error, () => ({ typed: name, known }));
}

export interface CheckedCluster {
  readonly objects: number;
  readonly revision: number;
  /** Acknowledged writes were lost up to this revision, when some were. */
  readonly lost: number | undefined;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Reads everything that a stopped cluster has on disk, drops its history and frees the space. Throws when the cluster runs, has
 * nothing on disk, or when its data is damaged.
 */
export async function checkNamedCluster(name: string, around: Surroundings): Promise<CheckedCluster> {
  const { state, record } = await clusterStatus(name, around);
  if (record.storage === "memory") {
    throw namedClusterError(`cluster "${name}" keeps its objects in memory; there is nothing to check`);
  }
  if (record.storage === "etcd") {
    throw namedClusterError(`cluster "${name}" keeps its objects in etcd; check the etcd with etcdctl`);
  }
  if (isStorageUrl(record.storage)) {
    throw namedClusterError(`cluster "${name}" keeps its objects in ${redactedUrl(record.storage)}, not on disk`);
  }
  if (state !== "Stopped") {
    throw namedClusterError(
      `cluster "${name}" is running (process ${record.pid}); stop it first with: kubets cluster stop ${name}`,
    );
  }
  const { checkDataDirectory } = await import("../../server/storage/sqlite/check-data-directory.js");
  try {
    return await checkDataDirectory(record.dataDir);
  } catch (error) {
    throw error instanceof Error && error.name === "DataDirectoryError" ? namedClusterError(error.message) : error;
  }
}
