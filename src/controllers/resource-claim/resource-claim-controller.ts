import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from "../../api/types/core/v1.js";
import type { ResourceClaim, ResourceClaimTemplate } from "../../api/types/resource/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { EventRecorder } from "../../client/events/index.js";
import { objectKey, type SharedInformer } from "../../client/informers/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { MadeClaims, OWNER_INDEX } from "./made-claims.js";
import { unlessChanged, unlessAbsent } from "../writes.js";
import {
  claimOfEntry,
  generatedClaim,
  isOwnedBy,
  isPodDone,
  namesOfClaims,
  podOwnerOf,
  isLeftOver,
  isReservationValid,
  reservedFor,
  withoutProtection,
  withReservations,
} from "./pod-claims.js";

const NAME = "resourceclaim-controller";
const CLAIM_KIND = ["resource.k8s.io/v1", "ResourceClaim"] as const;
/** The index of pods by "<namespace>/<claim>" of the ResourceClaims that they use. */
const CLAIM_INDEX = "resource-claim";

/** Creates the ResourceClaims of pods' templates, and ends reservations, allocations and claims that pods no longer need. */
export function resourceClaimController(context: ControllerContext): void {
  const { manager } = context;
  const pods = manager.informers.of("v1", "Pod");
  const claims = manager.informers.of(...CLAIM_KIND);
  pods.addIndexers({ [CLAIM_INDEX]: (pod) => namesOfClaims(pod).map((name) => `${pod.metadata?.namespace}/${name}`) });
  const reconciler = new ResourceClaimReconciler(context);

  manager
    .controllerFor("v1", "Pod", { when: hasClaims })
    .named(`${NAME}, pods`)
    .watches(...CLAIM_KIND, (claim) => {
      const { namespace = "" } = claim.metadata ?? {};
      const owner = podOwnerOf(claim);
      const users = pods.cache.byIndex(CLAIM_INDEX, objectKey(claim)).map(({ metadata }) => metadata?.name ?? "");
      return [...new Set([...users, ...(owner ? [owner.name] : [])])].map((name) => ({ namespace, name }));
    })
    .reads("resource.k8s.io/v1", "ResourceClaimTemplate")
    .reconcile(async ({ object: pod }) => {
      if (pod !== undefined) await reconciler.giveClaims(pod);
    });

  manager
    .controllerFor(...CLAIM_KIND)
    .named(NAME)
    .watches(
      "v1",
      "Pod",
      (pod) => {
        const { namespace = "", uid } = pod.metadata ?? {};
        const made = claims.cache.byIndex(OWNER_INDEX, uid).map(({ metadata }) => metadata?.name ?? "");
        return [...new Set([...namesOfClaims(pod), ...made])].map((name) => ({ namespace, name }));
      },
      { when: hasClaims },
    )
    .reconcile(async ({ object: claim }) => {
      if (claim !== undefined) await reconciler.cleanUp(claim);
    });
}

class ResourceClaimReconciler {
  readonly #client: KubernetesClient;
  readonly #pods: SharedInformer<Stored<Pod>>;
  readonly #claims: SharedInformer<Stored<ResourceClaim>>;
  readonly #templates: SharedInformer<Stored<ResourceClaimTemplate>>;
  readonly #recorder: EventRecorder;
  readonly #made: MadeClaims;
  readonly #countClaim: ControllerContext["countClaim"];

  constructor({ client, clock, manager, recorder, countClaim }: ControllerContext) {
    this.#countClaim = countClaim;
    this.#client = client;
    this.#pods = manager.informers.of("v1", "Pod");
    this.#claims = manager.informers.of(...CLAIM_KIND);
    this.#made = new MadeClaims(this.#claims, clock);
    this.#templates = manager.informers.of("resource.k8s.io/v1", "ResourceClaimTemplate");
    this.#recorder = recorder({ component: "resource_claim" });
  }

  /** Makes the claims of a pod, and reserves them once it has a node. */
  async giveClaims(pod: Pod): Promise<void> {
    if (pod.metadata?.deletionTimestamp !== undefined || isPodDone(pod)) return;
    await this.#makeClaims(pod);
    if ((pod.spec?.nodeName ?? "") !== "") await this.#reserveClaims(pod);
  }

  #claimsIn(namespace: string) {
    return this.#client.of(...CLAIM_KIND).namespace(namespace);
  }

  async #makeClaims(pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid } = pod.metadata ?? {};
    const made: PodResourceClaimStatus[] = [];
    for (const entry of pod.spec?.resourceClaims ?? []) {
      try {
        const claimName = await this.#makeClaim(pod, entry);
        if (claimName !== undefined) made.push({ name: entry.name, resourceClaimName: claimName });
      } catch (error) {
        const { message } = error as Error;
        this.#recorder.event(
          pod,
          "Warning",
          "FailedResourceClaimCreation",
          `PodResourceClaim ${entry.name}: ${message}`,
        );
        throw new Error(`pod ${namespace}/${name}, PodResourceClaim ${entry.name}: ${message}`, { cause: error });
      }
    }
    if (made.length === 0) return;
    const kept = (pod.status?.resourceClaimStatuses ?? []).filter(
      (one) => !made.some((other) => other.name === one.name),
    );
    // With the uid: another pod of that name, as StatefulSets have, has claims of its own.
    const applied = {
      metadata: { namespace, name, uid } satisfies FieldsOf<ObjectMeta>,
      status: { resourceClaimStatuses: [...kept, ...made] },
    } satisfies FieldsOf<ResourceClaim>;
    const options = { fieldManager: "ResourceClaimController", force: true, subresource: "status" };
    await unlessChanged(this.#client.of("v1", "Pod").apply(applied, options));
  }

  /** The name of a claim that the pod's status does not show yet; undefined where there is nothing to do. */
  async #makeClaim(pod: Pod, entry: PodResourceClaim): Promise<string | undefined> {
    const { namespace = "" } = pod.metadata ?? {};
    const named = claimOfEntry(pod, entry);
    if (named.state === "unneeded" || entry.resourceClaimTemplateName === undefined) return undefined;
    if (named.state === "named") {
      const claim = this.#claims.cache.get(`${namespace}/${named.name}`);
      if (claim !== undefined && isOwnedBy(claim, pod)) return undefined;
    }
    // One that was made before the status could be written, or that the informer has not shown.
    const before = this.#made.madeFor(pod, entry);
    if (before !== undefined) return before.metadata.name;
    const templateName = entry.resourceClaimTemplateName;
    const template = this.#templates.cache.get(`${namespace}/${templateName}`);
    if (template === undefined) {
      const absent = `resourceclaimtemplate.resource.k8s.io "${templateName}" not found`;
      throw new Error(`resource claim template "${templateName}": ${absent}`);
    }
    const claim = generatedClaim(pod, entry, template);
    const adminAccess = (claim.spec?.devices?.requests ?? []).some(({ exactly }) => exactly?.adminAccess === true);
    try {
      const created = await this.#claimsIn(namespace).create(claim);
      this.#countClaim(true, adminAccess);
      this.#made.add(created);
      return created.metadata.name;
    } catch (error) {
      this.#countClaim(false, adminAccess);
      throw error;
    }
  }

  /** Of pods that reached a node without the scheduler. */
  async #reserveClaims(pod: Pod): Promise<void> {
    const { namespace = "" } = pod.metadata ?? {};
    for (const name of namesOfClaims(pod)) {
      const claim = this.#claims.cache.get(`${namespace}/${name}`);
      if (claim === undefined) continue;
      const reserved = reservedFor(claim, pod);
      if (reserved !== claim) await this.#claimsIn(namespace).updateStatus(reserved);
    }
  }

  /** Ends what the claim's users need no more: reservations, the protection, the claim itself. */
  async cleanUp(claim: ResourceClaim): Promise<void> {
    const { namespace = "", name = "" } = claim.metadata ?? {};
    const consumers = claim.status?.reservedFor ?? [];
    const valid = [];
    for (const consumer of consumers)
      if (isReservationValid(consumer, await this.#podNamed(namespace, consumer.name))) valid.push(consumer);
    const changed = withReservations(claim, valid);
    const current = changed === claim ? claim : await this.#claimsIn(namespace).updateStatus(changed);
    const free = withoutProtection(current, consumers.length > valid.length);
    if (free !== current) await this.#claimsIn(namespace).update(free);
    if (valid.length > 0 || !isLeftOver(claim, this.#pods.cache.get(`${namespace}/${podOwnerOf(claim)?.name ?? ""}`)))
      return;
    try {
      await this.#claimsIn(namespace).delete(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** From the API where the cache has none: the scheduler may have reserved the claim for a pod that is newer than the cache. */
  async #podNamed(namespace: string, name: string): Promise<Pod | undefined> {
    return (
      this.#pods.cache.get(`${namespace}/${name}`) ??
      unlessAbsent(this.#client.of("v1", "Pod").namespace(namespace).get(name))
    );
  }
}

const hasClaims = ({ spec }: Pod): boolean => (spec?.resourceClaims ?? []).length > 0;
