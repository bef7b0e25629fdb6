import type { Pod } from "../api/types/core/v1.js";
import { claimsOfPod, isPodOver } from "../api/volumes/claims-of-pod.js";
import type { InformerFactory, SharedInformer } from "../client/informers/index.js";
import type { Stored } from "../client/dynamic/stored.js";

/** The index of pods by "<namespace>/<claim>" of the claims that they use; pods that are over use none. */
const INDEX = "claim";

const indexed = new WeakSet<SharedInformer<Stored<Pod>>>();

/** The pods that use a claim and are not over, by the claim's key. Controllers share the index. */
export function podsOfClaims(informers: InformerFactory): (claim: string) => Pod[] {
  const pods = informers.of("v1", "Pod");
  if (!indexed.has(pods)) {
    indexed.add(pods);
    pods.addIndexers({
      [INDEX]: (pod) => (isPodOver(pod) ? [] : claimsOfPod(pod).map(({ namespace, name }) => `${namespace}/${name}`)),
    });
  }
  return (claim) => pods.cache.byIndex(INDEX, claim);
}
