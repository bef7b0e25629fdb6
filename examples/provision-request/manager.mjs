// The controller of ProvisionRequests as a process of its own, which reads requests through the main server.
//
//     node manager.mjs provision.conf
import { kubernetesClient, loadConfig } from "kubets";
import { provisioning } from "./controller.mjs";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());

const client = kubernetesClient(await loadConfig({ kubeconfig: process.argv[2] }));
process.stderr.write("The controller of ProvisionRequests runs.\n");
await provisioning(client, client).run(stop.signal);
await client.close();
