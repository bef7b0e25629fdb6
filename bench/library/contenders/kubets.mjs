// Follows all ConfigMaps of the cluster of $KUBECONFIG with a shared informer of kubets.
//   node --expose-gc kubets.mjs DIST stream|pages OBJECTS
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { measureFollower } from "./measured-follower.mjs";

const [dist, how] = process.argv.slice(2);
const { InformerFactory, kubernetesClient, loadConfig } = await import(pathToFileURL(join(dist, "index.js")).href);

const client = kubernetesClient(await loadConfig());
const factory = new InformerFactory(client, {
  streamingLists: how === "stream",
  onFault: ({ step, error }) => process.stderr.write(`kubets: ${step}: ${error}\n`),
});
const informer = factory.resource({ group: "", version: "v1", resource: "configmaps" });
await measureFollower(async (handled) => {
  informer.addHandler({ added: handled, updated: handled, deleted: handled });
  factory.start(new AbortController().signal);
  await factory.synced();
  return () => informer.cache.size;
});
