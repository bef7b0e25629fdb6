import { releaseOf } from "../../api/facts/index.js";
import { DEFAULT_VERSION, minorOf, SERVED_VERSIONS } from "../../machinery/served-versions.js";
import { findLosses } from "../stored/losses.js";
import { storageOfRecord } from "../stored/storage-place.js";
import { type ClusterRecord, namedClusterError } from "./cluster-home.js";
import type { NamedClusterOptions } from "./serve.js";

/** What clusters are whose record does not say it. */
const BEFORE_THERE_WERE_VERSIONS = "1.36";
/** How many losses an error names. */
const SHOWN = 10;

type Start = Pick<NamedClusterOptions, "name" | "server" | "downgrade" | "clock" | "signal" | "warn">;

/**
 * Returns the version of Kubernetes that a cluster starts at: the one asked for, else the one that it has had, else the default. Warns of a version that
 * is not the default one, and says how to move. Rejects for an older version that would lose something of what the cluster stores.
 */
export async function versionToStart(last: ClusterRecord | undefined, start: Start): Promise<string> {
  const { name, server, warn } = start;
  const wanted = server.kubernetesVersion;
  if (last === undefined) return wanted ?? DEFAULT_VERSION;
  const had = last.kubernetesVersion ?? BEFORE_THERE_WERE_VERSIONS;
  const moving = (version: string): string => `kubets cluster start ${name} --kubernetes-version=${version}`;
  if (wanted === undefined) {
    if (!SERVED_VERSIONS.includes(had)) {
      throw namedClusterError(
        `cluster "${name}" is Kubernetes ${had}, which this program does not serve: there are ${SERVED_VERSIONS.toSorted().join(", ")}; move it with: ${moving(DEFAULT_VERSION)}`,
      );
    }
    if (had !== DEFAULT_VERSION) {
      warn(`cluster "${name}" stays Kubernetes ${had}; move it to ${DEFAULT_VERSION} with: ${moving(DEFAULT_VERSION)}`);
    }
    return had;
  }
  if (minorOf(wanted) < minorOf(had)) await refuseLosses(last, wanted, start, `${moving(wanted)} --downgrade`);
  return wanted;
}

async function refuseLosses(last: ClusterRecord, version: string, start: Start, goOn: string): Promise<void> {
  if (last.storage === "memory" || start.downgrade) return;
  const { clock, signal, warn, name } = start;
  const losses = await findLosses(storageOfRecord(last), await releaseOf(version), { clock, signal, warn });
  if (losses.size === 0) return;
  const shown = [...losses]
    .slice(0, SHOWN)
    .map(([what, count]) => `  ${what} (${count === 1 ? "1 object" : `${count} objects`})`);
  if (losses.size > SHOWN) shown.push(`  and ${losses.size - SHOWN} more`);
  throw namedClusterError(
    `cluster "${name}" stores what Kubernetes ${version} does not know and would lose:\n${shown.join("\n")}\nstart it all the same with: ${goOn}`,
  );
}
