/**
 * One of several servers on one storage, in a process of its own: `cluster-server.js SETTINGS`, the settings as JSON. Prints one line of
 * JSON when the API is ready. SIGTERM stops it.
 */
import { writeSync } from "node:fs";
import { startCluster } from "../../../src/cluster/index.js";
import { openLog, type ServerSettings } from "./server-log.js";

const settings = JSON.parse(process.argv[2] ?? "") as ServerSettings;
const log = openLog(settings.log);
const cluster = await startCluster({
  ...settings.storage,
  dataDir: settings.dataDir,
  serverName: settings.name,
  nodes: 2,
  nodeMonitorGracePeriod: 10_000,
  onLeadership: ({ lease, type }) => log.write(lease, type),
  onError: () => {},
});
writeSync(
  1,
  `${JSON.stringify({ url: cluster.url, token: cluster.token, caCertificate: cluster.caCertificate, pid: process.pid })}\n`,
);
process.once("SIGTERM", () => void cluster.close().then(() => process.exit(0)));
