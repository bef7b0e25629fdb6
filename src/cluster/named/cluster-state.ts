import { isProcessAlive } from "../../client/config/named-cluster.js";
import type { ClusterHome, ClusterRecord } from "./cluster-home.js";
import { clusterTransport, type ReachOptions } from "./cluster-transport.js";

export type ClusterState = "Running" | "Stopped" | "Unresponsive";

/**
 * Whether a cluster runs. "Running" means that a server at the recorded address answered to this cluster's own token
 * under its own CA, so its process is safe to signal: a recycled process id never is. "Unresponsive": the process is
 * there but did not answer within `timeout` ms.
 */
export async function clusterState(
  home: ClusterHome,
  record: ClusterRecord,
  options: AskOptions,
): Promise<ClusterState> {
  if (!isProcessAlive(record.pid)) return "Stopped";
  const answer = await askForVersion(home, record, options);
  if (answer === "ours") return "Running";
  return answer === "silent" ? "Unresponsive" : "Stopped";
}

interface AskOptions extends ReachOptions {
  /** Milliseconds. */
  readonly timeout?: number;
}

/** A machine that is busy with a hundred other processes answers within it. */
const PATIENCE = 5000;

async function askForVersion(
  home: ClusterHome,
  record: ClusterRecord,
  { timeout = PATIENCE, ...reach }: AskOptions,
): Promise<"ours" | "another" | "silent"> {
  const transport = await clusterTransport(home, record, reach);
  if (transport === undefined) return "another";
  const signal = AbortSignal.timeout(timeout);
  try {
    const { status } = await transport.send({ method: "GET", path: "/version", headers: {}, signal });
    return status === 200 ? "ours" : "another";
  } catch {
    return signal.aborted ? "silent" : "another";
  } finally {
    await transport.close();
  }
}
