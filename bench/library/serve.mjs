// One cluster in a process of its own: memory storage, no controllers. It is asked by messages what it costs.
//   node serve.mjs DIST
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { answerUsage } from "../server/usage.mjs";

const { startCluster } = await import(pathToFileURL(join(process.argv[2], "cluster.js")).href);
const cluster = await startCluster({ controllers: false });

answerUsage();
process.on("message", (message) => {
  if (message.op === "stop") void cluster.close().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(1));
process.send({ ready: true, kubeconfig: cluster.kubeconfig() });
