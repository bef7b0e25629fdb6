// An embedded cluster with a node in a process of its own: prints its kubeconfig, ends when its input does.
import { startCluster } from "../../dist/cluster.js";

const cluster = await startCluster({ nodes: [{ name: "bench" }] });
process.stdout.write(cluster.kubeconfig());
process.stdin.resume().on("end", () => void cluster.close().then(() => process.exit(0)));
