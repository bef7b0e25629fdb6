// The server that hostile senders meet: a cluster with a node, in a process of its own, asked by messages what it holds.
//   node serve.mjs DIST
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const [dist] = process.argv.slice(2);
const { startCluster } = await import(pathToFileURL(resolve(dist, "cluster.js")).href);
// Senders make objects that etcd would not take.
const cluster = await startCluster({ nodes: 1, maxObjectBytes: 0 });
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Answers at once, which a process can only whose event loop turns. */
process.on("SIGUSR2", () => process.send({ op: "signal" }));
process.once("SIGTERM", () => {
  process.send({ op: "terminating" });
  void cluster.close().then(() => process.exit(0));
});
process.on("message", ({ op, user }) => {
  if (op === "kubeconfig") process.send({ op, kubeconfig: cluster.kubeconfig(user) });
  if (op !== "usage") return;
  for (let round = 0; round < 3; round++) collect();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { user: inUser, system } = process.cpuUsage();
  process.send({ op, rss, heapUsed, external, arrayBuffers, cpu: (inUser + system) / 1000 });
});
process.on("disconnect", () => process.exit(1));
process.send({ op: "ready", kubeconfig: cluster.kubeconfig() });
