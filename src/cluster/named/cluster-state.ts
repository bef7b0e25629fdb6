import { readFile } from "node:fs/promises";
import type { Clock } from "../../base/clock.js";
import type { VerboseLog } from "../../client/klog.js";
import { createTransport } from "../../client/transport/create-transport.js";
import { debuggingTransport } from "../../client/transport/debugging-transport.js";
import type { ClusterHome, ClusterRecord } from "./cluster-home.js";

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
  if (!isAlive(record.pid)) return "Stopped";
  const answer = await askForVersion(home, record, options);
  if (answer === "ours") return "Running";
  return answer === "silent" ? "Unresponsive" : "Stopped";
}

interface AskOptions {
  /** Milliseconds. */
  readonly timeout?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log?: VerboseLog | undefined;
}

const PATIENCE = 2000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

interface KubeconfigFile {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data": string } }[];
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
}

async function askForVersion(
  home: ClusterHome,
  record: ClusterRecord,
  { timeout = PATIENCE, env, clock, log }: AskOptions,
): Promise<"ours" | "another" | "silent"> {
  let config: KubeconfigFile;
  try {
    config = JSON.parse(await readFile(home.kubeconfig, "utf8")) as KubeconfigFile;
  } catch {
    return "another";
  }
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64");
  const plain = createTransport(
    {
      server: record.url,
      tls: {
        insecureSkipVerify: false,
        caData: bytes(config.clusters[0]?.cluster["certificate-authority-data"]),
        certData: bytes(config.users[0]?.user["client-certificate-data"]),
        keyData: bytes(config.users[0]?.user["client-key-data"]),
      },
    },
    { env, clock },
  );
  const transport = log ? debuggingTransport(plain, { log, clock, origin: record.url, hidden: new Set() }) : plain;
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
