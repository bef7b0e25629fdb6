import { readFile } from "node:fs/promises";
import { request } from "node:https";
import type { ClusterHome, ClusterRecord } from "./cluster-home.js";

export type ClusterState = "Running" | "Stopped" | "Unresponsive";

/**
 * Whether a cluster runs. "Running" means that a server at the recorded address answered to this cluster's own token
 * under its own CA, so its process is safe to signal: a recycled process id never is. "Unresponsive": the process is
 * there but did not answer within `timeout` ms.
 */
export async function clusterState(home: ClusterHome, record: ClusterRecord, timeout = 2000): Promise<ClusterState> {
  if (!isAlive(record.pid)) return "Stopped";
  const answer = await askForVersion(home, record, timeout);
  if (answer === "ours") return "Running";
  return answer === "silent" ? "Unresponsive" : "Stopped";
}

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
  timeout: number,
): Promise<"ours" | "another" | "silent"> {
  let config: KubeconfigFile;
  try {
    config = JSON.parse(await readFile(home.kubeconfig, "utf8")) as KubeconfigFile;
  } catch {
    return "another";
  }
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64");
  return new Promise((resolve) => {
    const req = request(
      `${record.url}/version`,
      {
        ca: bytes(config.clusters[0]?.cluster["certificate-authority-data"]),
        cert: bytes(config.users[0]?.user["client-certificate-data"]),
        key: bytes(config.users[0]?.user["client-key-data"]),
        timeout,
        agent: false,
      },
      (res) => {
        res.resume();
        resolve(res.statusCode === 200 ? "ours" : "another");
      },
    );
    req.on("timeout", () => {
      resolve("silent");
      req.destroy();
    });
    req.on("error", () => resolve("another"));
    req.end();
  });
}
