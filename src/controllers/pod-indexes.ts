import type { Pod } from "../api/types/core/v1.js";
import type { SharedInformer, InformerFactory } from "../client/informers/index.js";
import type { Stored } from "../client/dynamic/stored.js";
import { claimsOfPod, isPodOver } from "../api/volumes/claims.js";

const NODE_INDEX = "node";

const indexedByNode = new WeakSet<object>();

/** The function that finds the pods that are bound to a node in the informer's cache. Call it before the informers start. */
export function podsByNode(informer: SharedInformer<Stored<Pod>>): (node: string) => Pod[] {
  if (!indexedByNode.has(informer)) {
    indexedByNode.add(informer);
    informer.addIndexers({ [NODE_INDEX]: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) });
  }
  return (node) => informer.cache.byIndex(NODE_INDEX, node);
}

/** The index of pods by "<namespace>/<claim>" of the claims that they use; pods that are over use none. */
const CLAIM_INDEX = "claim";

const indexedByClaim = new WeakSet<SharedInformer<Stored<Pod>>>();

/** The pods that use a claim and are not over, by the claim's key. Controllers share the index. */
export function podsOfClaims(informers: InformerFactory): (claim: string) => Pod[] {
  const pods = informers.of("v1", "Pod");
  if (!indexedByClaim.has(pods)) {
    indexedByClaim.add(pods);
    pods.addIndexers({
      [CLAIM_INDEX]: (pod) =>
        isPodOver(pod) ? [] : claimsOfPod(pod).map(({ namespace, name }) => `${namespace}/${name}`),
    });
  }
  return (claim) => pods.cache.byIndex(CLAIM_INDEX, claim);
}
