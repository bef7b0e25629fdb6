/**
 * A cluster on disk in a process of its own: `api-server.js DIRECTORY`. Prints one line of JSON when the API is ready.
 */
import { writeSync } from "node:fs";
import { startCluster } from "../../src/cluster/index.js";

const [, , dataDir = ""] = process.argv;
const { url, token, caCertificate } = await startCluster({ storage: "disk", dataDir });
writeSync(1, `${JSON.stringify({ url, token, caCertificate, pid: process.pid })}\n`);
