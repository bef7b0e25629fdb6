import type { Pod, PodResourceClaim } from "../../api/types/core/v1.js";
import type { ResourceClaim } from "../../api/types/resource/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { Stored } from "../../client/dynamic/stored.js";
import { objectKey, type SharedInformer } from "../../client/informers/index.js";
import { isMadeFor, podOwnerOf } from "./pod-claims.js";

/** The index of claims by the uid of the pod that they were made for. */
export const OWNER_INDEX = "pod-owner";

/** After this time a claim that the informer has not shown counts as deleted: client-go's time to live of a mutation cache. */
const TIMEOUT_MS = 60_000;

/**
 * The claims that were made for pods: those that the informer shows, and those that it does not show yet. Without the latter a pod
 * would get a second claim.
 */
export class MadeClaims {
  readonly #unseen = new Map<string, { readonly claim: Stored<ResourceClaim>; readonly since: number }>();

  constructor(
    private readonly claims: SharedInformer<Stored<ResourceClaim>>,
    private readonly clock: Clock,
  ) {
    claims.addIndexers({ [OWNER_INDEX]: (claim) => [podOwnerOf(claim)?.uid ?? ""] });
    const seen = (claim: Stored<ResourceClaim>): void => void this.#unseen.delete(objectKey(claim));
    claims.addHandler({ added: seen, deleted: seen });
  }

  /** A claim was made. */
  add(claim: Stored<ResourceClaim>): void {
    const key = objectKey(claim);
    if (this.claims.cache.get(key) === undefined) this.#unseen.set(key, { claim, since: this.clock.now() });
  }

  /** The claim that was made for an entry of a pod. */
  madeFor(pod: Pod, entry: PodResourceClaim): Stored<ResourceClaim> | undefined {
    const shown = this.claims.cache.byIndex(OWNER_INDEX, pod.metadata?.uid ?? "");
    return [...shown, ...this.#recent()].find((claim) => isMadeFor(claim, pod, entry));
  }

  *#recent(): Generator<Stored<ResourceClaim>> {
    for (const [key, { claim, since }] of this.#unseen) {
      if (this.clock.now() - since <= TIMEOUT_MS) yield claim;
      else this.#unseen.delete(key);
    }
  }
}
