import { type Cluster, startCluster } from "../../../src/cluster/index.js";

/** What a test asks this process and gets back: its resident bytes once garbage is collected. */
export interface Usage {
  readonly resident: number;
}

/** What a test needs to reach the cluster. */
export type Reach = Pick<Cluster, "url" | "token" | "caCertificate">;

const cluster = await startCluster();
process.on("message", (message) => {
  if (message === "stop") void cluster.close().then(() => process.exit(0));
  else {
    (globalThis as { gc?: () => void }).gc?.();
    process.send?.({ resident: process.memoryUsage.rss() } satisfies Usage);
  }
});
process.on("disconnect", () => process.exit(1));
process.send?.({ url: cluster.url, token: cluster.token, caCertificate: cluster.caCertificate } satisfies Reach);
