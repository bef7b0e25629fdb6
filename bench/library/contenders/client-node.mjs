// Follows all ConfigMaps of the cluster of $KUBECONFIG with the informer of @kubernetes/client-node.
//   node --expose-gc client-node.mjs OBJECTS
import { CHANGE, CoreV1Api, ERROR, KubeConfig, makeInformer } from "@kubernetes/client-node";
import { measureFollower } from "./measured-follower.mjs";

const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, "/api/v1/configmaps", () => api.listConfigMapForAllNamespaces());
informer.on(ERROR, (error) => process.stderr.write(`client-node: ${error}\n`));
await measureFollower(async (handled) => {
  informer.on(CHANGE, handled);
  await informer.start();
  return () => informer.list().length;
});
