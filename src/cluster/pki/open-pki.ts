import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { ServerOptions } from "../options/server-options.js";
import { pkiFault } from "./pki-fault.js";
import { type ClusterPki, createClusterPki } from "./cluster-pki.js";

/** The certificates of a server: those of its data folder, or new ones. Other processes verify them by `verifiers`. */
export async function openPki(
  options: Pick<ServerOptions, "storage" | "dataDir" | "port" | "onWarning">,
  clock: Clock,
  verifiers: Clock,
  random: Random,
): Promise<ClusterPki> {
  const { storage = "memory", dataDir, onWarning = () => {} } = options;
  // Where no process verifies a certificate, the cluster's clock is the only one.
  const verifier = options.port === false ? clock : verifiers;
  if (storage === "memory" || dataDir === undefined) return createClusterPki(clock, random, verifier);
  const { loadOrCreatePki } = await import("./stored-pki.js");
  const create = (kept?: Partial<ClusterPki>) => createClusterPki(clock, random, verifiers, kept);
  return loadOrCreatePki(dataDir, create, (kept) => {
    const fault = pkiFault(kept, { cluster: clock.now(), verifiers: verifiers.now() });
    if (fault === undefined) return undefined;
    onWarning(`the certificates in ${dataDir} are renewed: ${fault.reason}`);
    const { token, serviceAccountKey, ca } = kept;
    return create({ token, serviceAccountKey, ...(!fault.isOfAuthority && { ca }) });
  });
}
