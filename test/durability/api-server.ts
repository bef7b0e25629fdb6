/**
 * A cluster in a process of its own: `api-server.js DIRECTORY` on disk, `api-server.js DIRECTORY ETCD` in etcd with its
 * certificates in the folder. Prints one line of JSON when the API is ready.
 */
import { writeSync } from "node:fs";
import { startCluster } from "../../src/cluster/index.js";

const [, , dataDir = "", etcd] = process.argv;
const { url, token, caCertificate } = await startCluster(
  etcd === undefined ? { storage: "disk", dataDir } : { storage: "etcd", dataDir, etcd: { servers: [etcd] } },
);
writeSync(1, `${JSON.stringify({ url, token, caCertificate, pid: process.pid })}\n`);
