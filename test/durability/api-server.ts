/**
 * A cluster in a process of its own: `api-server.js DIRECTORY` on disk, `api-server.js DIRECTORY ETCD` in etcd with its
 * certificates in the folder, `api-server.js DIRECTORY files` in files below it. Prints one line of JSON when the API is ready.
 */
import { writeSync } from "node:fs";
import { startCluster } from "../../src/cluster/index.js";

const [, , dataDir = "", etcd] = process.argv;
const storage = (): Parameters<typeof startCluster>[0] => {
  if (etcd === undefined) return { storage: "disk", dataDir };
  if (etcd === "files") return { storage: `files:${dataDir}/objects`, dataDir };
  return { storage: "etcd", dataDir, etcd: { servers: [etcd] } };
};
const { url, token, caCertificate } = await startCluster(storage());
writeSync(1, `${JSON.stringify({ url, token, caCertificate, pid: process.pid })}\n`);
