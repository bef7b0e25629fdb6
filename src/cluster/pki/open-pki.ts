import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import type { ServerOptions } from "../server-options.js";
import { type ClusterPki, createClusterPki } from "./cluster-pki.js";

/** The certificates of a server: those of its data folder, or new ones. Other processes verify them by `verifiers`. */
export async function openPki(
  options: Pick<ServerOptions, "storage" | "dataDir" | "port">,
  clock: Clock,
  verifiers: Clock,
  random: Random,
): Promise<ClusterPki> {
  const { storage = "memory", dataDir } = options;
  // Where no process verifies a certificate, the cluster's clock is the only one.
  const verifier = options.port === false ? clock : verifiers;
  if (storage === "memory" || dataDir === undefined) return createClusterPki(clock, random, verifier);
  const { loadOrCreatePki } = await import("./stored-pki.js");
  return loadOrCreatePki(dataDir, () => createClusterPki(clock, random, verifiers));
}
