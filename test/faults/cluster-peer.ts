import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../../src/cluster/index.js";
import { runCli } from "../helpers/run-cli.js";
import type { Peer } from "./side-by-side.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

/** An embedded cluster that holds the objects of `manifests`. */
export async function clusterPeer(manifests: string): Promise<Peer> {
  const requests: string[] = [];
  const cluster = await startCluster({
    port: 0,
    ...quietCluster,
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  });
  const kubeconfig = cluster.kubeconfig();
  const folder = mkdtempSync(join(tmpdir(), "kubets-faults-"));
  try {
    const config = join(folder, "kubeconfig");
    writeFileSync(config, kubeconfig);
    const { code, stderr } = await runCli(["create", "-f", "-"], {
      env: { HOME: folder, KUBECONFIG: config },
      stdin: manifests,
    });
    if (code !== 0) throw new Error(stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  requests.length = 0;
  return { kubeconfig, address: new URL(cluster.url).host, requests, close: () => cluster.close() };
}
