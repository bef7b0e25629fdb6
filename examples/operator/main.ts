// Runs the controller of shelves against the cluster that kubectl would use, one process at a time leading.
//
//     npm install kubets && node examples/operator/main.ts        (Node 22.18 and later; before, compile it with tsc)
import { kubernetesClient, loadConfig, Manager } from "kubets";
import { addShelves } from "./shelves.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const config = await loadConfig();
await using client = kubernetesClient(config);
const manager = new Manager(client, {
  namespace: config.namespace,
  leaderElection: { lease: { namespace: config.namespace, name: "shelves" } },
});
addShelves(manager);
await manager.run(stop.signal);
