import { clusterStatus, type Surroundings } from "./manage.js";
import { namedClusterError } from "./named-cluster-error.js";

export interface CheckedCluster {
  readonly objects: number;
  readonly revision: number;
  /** Acknowledged writes were lost up to this revision, when some were. */
  readonly lost: number | undefined;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Reads everything a stopped cluster keeps on disk, forgets its history and gives back the space. Throws when the cluster
 * runs, keeps nothing on disk, or when what it keeps is damaged.
 */
export async function checkNamedCluster(name: string, around: Surroundings): Promise<CheckedCluster> {
  const { state, record } = await clusterStatus(name, around);
  if (record.storage === "memory") {
    throw namedClusterError(`cluster "${name}" keeps its objects in memory; there is nothing to check`);
  }
  if (record.storage === "etcd") {
    throw namedClusterError(`cluster "${name}" keeps its objects in etcd; check the etcd with etcdctl`);
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
