// One process of the operator of examples/operator, with a lease shorter than the default: KUBECONFIG says where, the argument
// who it is.
import { kubernetesClient, loadConfig, Manager } from "kubets";
import { addShelves } from "./shelves.js";

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

const client = kubernetesClient(await loadConfig());
const manager = new Manager(client, {
  namespace: "default",
  leaderElection: {
    lease: { namespace: "default", name: "shelves" },
    identity: process.argv[2],
    leaseDuration: 5000,
    renewDeadline: 4000,
    retryPeriod: 200,
  },
});
addShelves(manager);
await manager.run(stop.signal);
await client.close();
