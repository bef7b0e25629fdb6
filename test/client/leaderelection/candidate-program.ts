import { isLeadershipLost, LeaderElector } from "../../../src/client/leaderelection/index.js";
import { kubernetesClient, loadConfig } from "../../../src/client/index.js";

/** An operator that says every 20 ms whether it leads. It ends by SIGTERM, or when it has lost. */
const client = kubernetesClient(await loadConfig({ kubeconfig: process.argv[2] ?? "" }));
const elector = new LeaderElector({
  client,
  lease: { namespace: "default", name: process.argv[3] ?? "" },
  identity: "program",
  leaseDuration: 1000,
  renewDeadline: 600,
  retryPeriod: 100,
  onStartedLeading: () => {},
  onNewLeader: (identity) => process.stdout.write(`leader ${identity}\n`),
});
const saying = setInterval(() => process.stdout.write(`${elector.isLeader() ? "leads" : "does not lead"}\n`), 20);
saying.unref();
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
try {
  await elector.run(stop.signal);
  process.stdout.write("stopped\n");
} catch (error) {
  if (!isLeadershipLost(error)) throw error;
  process.stdout.write("lost\n");
}
await client.close();
