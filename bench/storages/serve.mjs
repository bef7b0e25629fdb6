// A server in a process of its own, without nodes and controllers: startCluster's options as JSON.
//   node serve.mjs OPTIONS
import { answerUsage } from "../server/usage.mjs";
import { startCluster } from "../../dist/cluster.js";

const cluster = await startCluster({ controllers: false, scheduler: false, ...JSON.parse(process.argv[2] ?? "{}") });
answerUsage();
process.on("message", ({ op }) => {
  if (op === "stop") void cluster.close().then(() => process.exit(0));
});
process.on("disconnect", () => process.exit(1));
process.send({ kubeconfig: cluster.kubeconfig() });
