import type { Pod } from "../../api/types/core/v1.js";
import type { SharedInformer } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";

const NODE_INDEX = "node";

const indexed = new WeakSet<object>();

/** The function that finds the pods that are bound to a node in the informer's cache. Call it before the informers start. */
export function podsByNode(informer: SharedInformer<Stored<Pod>>): (node: string) => Pod[] {
  if (!indexed.has(informer)) {
    indexed.add(informer);
    informer.addIndexers({ [NODE_INDEX]: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) });
  }
  return (node) => informer.cache.byIndex(NODE_INDEX, node);
}
