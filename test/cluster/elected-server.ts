/**
 * A server in a process of its own: `elected-server.js ETCD NAME`. Prints lines of JSON: what happens in its elections, as it happens, and
 * `{url, token, caCertificate}` when the API is ready.
 */
import { writeSync } from "node:fs";
import { startCluster } from "../../src/cluster/index.js";

const [, , etcd = "", name = ""] = process.argv;
const tell = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const { url, token, caCertificate } = await startCluster({
  storage: "etcd",
  etcd: { servers: [etcd] },
  leaderElect: { leaseDuration: 3000, renewDeadline: 2000, retryPeriod: 200 },
  nodes: [{ name }],
  onLeadership: tell,
});
tell({ url, token, caCertificate });
