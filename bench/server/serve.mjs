// One server in a process of its own: a cluster with disk storage, told what to do and asked what it costs by messages.
//   node serve.mjs DIST DATA_DIR
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { answerUsage } from "./usage.mjs";

const [dist, dataDir] = process.argv.slice(2);
const { startCluster } = await import(pathToFileURL(resolve(dist, "cluster.js")).href);
const cluster = await startCluster({ storage: "disk", dataDir });

answerUsage();
process.on("message", (message) => {
  if (message.op === "stop") void cluster.close().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(1));
process.send({ ready: true, kubeconfig: cluster.kubeconfig() });
