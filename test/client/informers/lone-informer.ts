// A program that does nothing but follow config maps, and prints what happens. Nothing else keeps its process alive, and nothing
// ends it: SIGTERM only aborts the informer's signal.
import { kubernetesClient, loadConfig } from "../../../src/client/index.js";
import { SharedInformer } from "../../../src/client/informers/index.js";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const config = await loadConfig({ server: process.env["SERVER"] ?? "", userAgent: "lone-informer", env: {} });
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const configMaps = kubernetesClient(config).resource({ group: "", version: "v1", resource: "configmaps" });
const informer = new SharedInformer(configMaps.namespace("default"), {
  onFault: ({ step, error }) => say(`fault: ${step}: ${String(error)}`),
});
informer.addHandler({ added: ({ metadata }) => say(`added ${metadata?.name}`) });
await informer.run(stop.signal);
say("stopped");
