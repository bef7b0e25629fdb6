import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ResourceClaimStatus, AllocationResult, ResourceClaim } from "../../../api/types/resource/v1.js";
import type { Pod } from "../../../api/types/core/v1.js";
import { inOrder } from "../../../base/async/turns.js";
import { formatTime } from "../../../machinery/meta/time.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { CycleState } from "../../framework/cycle-state.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP, type Status, unresolvable, unschedulable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { matchesTerm } from "../../../api/scheduling/node-selector.js";
import { allocate, deviceId, devicesFor } from "./allocate.js";
import type { MatchDevice } from "./device-selector.js";

const hasResourceClaims = ({ spec }: Pod): boolean => (spec?.resourceClaims ?? []).length > 0;

/** The claims of a pod, or the message of what is missing. */
function podClaims(
  { pod, namespace }: PodInfo,
  get: (key: string) => ResourceClaim | undefined,
): readonly ResourceClaim[] | string {
  const claims: ResourceClaim[] = [];
  for (const { name, resourceClaimName, resourceClaimTemplateName } of pod.spec?.resourceClaims ?? []) {
    const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === name);
    // A claim that the pod turned out not to need.
    if (resourceClaimName === undefined && made !== undefined && made.resourceClaimName === undefined) continue;
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    if (claimName === undefined) {
      return resourceClaimTemplateName === undefined
        ? `pod claim ${name}: neither resourceClaimName nor resourceClaimTemplateName set`
        : `waiting for dynamic resource controller to create the resourceclaim "${name}"`;
    }
    const claim = get(`${namespace}/${claimName}`);
    if (claim === undefined) return `resourceclaim.resource.k8s.io "${claimName}" not found`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `resourceclaim "${claimName}" is being deleted`;
    claims.push(claim);
  }
  return claims;
}

const isReservedFor = ({ status }: ResourceClaim, uid: string): boolean =>
  status?.reservedFor?.some((consumer) => consumer.uid === uid) === true;

const NAME = PLUGIN.dynamicResources;
const GROUP = "resource.k8s.io/v1";
const KINDS = [
  [GROUP, "ResourceClaim"],
  [GROUP, "ResourceSlice"],
  [GROUP, "DeviceClass"],
] as const;
const FINALIZER = "resource.kubernetes.io/delete-protection";
const MOST_CONSUMERS = 256;

interface ClaimState {
  readonly claims: readonly ResourceClaim[];
  readonly unallocated: readonly ResourceClaim[];
  readonly taken: ReadonlySet<string>;
  readonly byNode: Map<string, readonly AllocationResult[]>;
  /** Allocated claims that were in the way on some node. */
  readonly inTheWay: Set<ResourceClaim>;
}

/** Allocates devices to the pod's ResourceClaims on nodes that have them, and reserves the claims for the pod. */
export const dynamicResources = (handle: SchedulerHandle): SchedulerPlugin => new DynamicResources(handle);

class DynamicResources implements SchedulerPlugin {
  readonly name = NAME;
  readonly events: NonNullable<SchedulerPlugin["events"]> = [
    { resource: "ResourceClaim", action: Action.add | Action.update | Action.delete },
    {
      resource: "UnscheduledPod",
      action: Action.podClaimGenerated,
      hint: (pod, _before, after) => isSame(pod, after as Pod),
    },
    { resource: "Node", action: Action.add | Action.nodeLabel },
    { resource: "DeviceClass", action: Action.add | Action.update },
    { resource: "ResourceSlice", action: Action.add | Action.update },
  ];
  readonly #handle: SchedulerHandle;
  /** What claims were given here and the API does not show yet, by their uids. */
  readonly #assumed = new Map<string, AllocationResult>();
  #matches: MatchDevice | undefined;

  constructor(handle: SchedulerHandle) {
    this.#handle = handle;
  }

  prepare({ pod }: PodInfo): Promise<void> | undefined {
    if (!hasResourceClaims(pod)) return undefined;
    const ready = this.#handle.kinds.follow(KINDS);
    if (this.#matches !== undefined) return ready;
    // CEL is loaded by the first pod that claims a device.
    const loading = inOrder(import("./device-selector.js")).then(({ deviceMatcher }) => {
      this.#matches ??= deviceMatcher(this.#handle.release);
    });
    return Promise.all([ready, loading]).then(() => {});
  }

  preFilter(state: CycleState, info: PodInfo): Status | undefined {
    if (!hasResourceClaims(info.pod)) return SKIP;
    const claims = podClaims(info, (key) => this.#claims().get(key));
    if (typeof claims === "string") return unresolvable(NAME, claims);
    for (const claim of claims) {
      if (this.#allocationOf(claim) !== undefined) {
        const isFull = (claim.status?.reservedFor?.length ?? 0) >= MOST_CONSUMERS;
        if (isFull && !isReservedFor(claim, info.uid)) return unresolvable(NAME, "resourceclaim in use");
        continue;
      }
      for (const { name, exactly, firstAvailable = [] } of claim.spec?.devices?.requests ?? []) {
        for (const { deviceClassName } of exactly === undefined ? firstAvailable : [exactly]) {
          if (this.#handle.kinds.cache(GROUP, "DeviceClass").has(deviceClassName)) continue;
          return unresolvable(NAME, `request ${name}: device class ${deviceClassName} does not exist`);
        }
      }
    }
    const unallocated = claims.filter((claim) => this.#allocationOf(claim) === undefined);
    const claimState: ClaimState = {
      claims,
      unallocated,
      taken: this.#takenDevices(),
      byNode: new Map(),
      inTheWay: new Set(),
    };
    state.write(NAME, claimState);
    return undefined;
  }

  filter(state: CycleState, _info: PodInfo, node: NodeInfo): Status | undefined {
    const { claims, unallocated, taken, byNode, inTheWay } = state.read<ClaimState>(NAME) as ClaimState;
    const away = claims.filter((claim) => !isUsableOn(this.#allocationOf(claim), node));
    if (away.length > 0) {
      for (const claim of away) inTheWay.add(claim);
      return unschedulable(NAME, "resourceclaim not available on the node");
    }
    if (unallocated.length === 0 || this.#matches === undefined) return undefined;
    const found = allocate({
      claims: unallocated,
      node,
      devices: devicesFor(node, this.#handle.kinds.cache(GROUP, "ResourceSlice").values()),
      taken,
      classes: (name) => this.#handle.kinds.cache(GROUP, "DeviceClass").get(name),
      matches: this.#matches,
    });
    if (found === undefined) return unschedulable(NAME, "cannot allocate all claims");
    byNode.set(node.name, found);
    return undefined;
  }

  postFilter(state: CycleState, info: PodInfo): ReturnType<NonNullable<SchedulerPlugin["postFilter"]>> {
    const claimState = state.read<ClaimState>(NAME);
    if (claimState === undefined) return { status: unschedulable(NAME, "no new claims to deallocate") };
    for (const claim of claimState.inTheWay) {
      const { reservedFor = [], allocation } = claim.status ?? {};
      if (allocation === undefined || reservedFor.some(({ uid }) => uid !== info.uid)) continue;
      // No other pod uses it: it may be allocated where the pod fits.
      void this.#deallocate(claim).catch(this.#handle.report);
      return { status: unschedulable(NAME, "deallocation of ResourceClaim completed") };
    }
    return { status: unschedulable(NAME, "still not schedulable") };
  }

  reserve(state: CycleState, _info: PodInfo, node: string): undefined {
    const claimState = state.read<ClaimState>(NAME);
    const found = claimState?.byNode.get(node);
    for (const [index, claim] of (claimState?.unallocated ?? []).entries()) {
      const allocation = found?.[index];
      if (allocation !== undefined) this.#assumed.set(claim.metadata?.uid ?? "", allocation);
    }
    return undefined;
  }

  unreserve(state: CycleState): void {
    for (const { metadata } of state.read<ClaimState>(NAME)?.unallocated ?? [])
      this.#assumed.delete(metadata?.uid ?? "");
  }

  async preBind(state: CycleState, { uid, name }: PodInfo): Promise<undefined> {
    const claimState = state.read<ClaimState>(NAME);
    if (claimState === undefined) return undefined;
    for (const claim of claimState.claims) {
      if (isReservedFor(claim, uid)) continue;
      await this.#reserveFor(claim, { resource: "pods", name, uid });
    }
    return undefined;
  }

  #claims() {
    return this.#handle.kinds.cache(GROUP, "ResourceClaim");
  }

  #allocationOf({ metadata, status }: ResourceClaim): AllocationResult | undefined {
    return status?.allocation ?? this.#assumed.get(metadata?.uid ?? "");
  }

  #takenDevices(): ReadonlySet<string> {
    const taken = new Set<string>();
    for (const claim of this.#claims().values()) {
      if (claim.status?.allocation !== undefined) this.#assumed.delete(claim.metadata?.uid ?? "");
      for (const { driver, pool, device, adminAccess } of this.#allocationOf(claim)?.devices?.results ?? []) {
        if (adminAccess !== true) taken.add(deviceId(driver, pool, device));
      }
    }
    return taken;
  }

  async #reserveFor(claim: ResourceClaim, consumer: { resource: string; name: string; uid: string }): Promise<void> {
    const { namespace = "", name = "", uid = "" } = claim.metadata ?? {};
    const claims = this.#handle.client.of(GROUP, "ResourceClaim").namespace(namespace);
    const given = this.#assumed.get(uid);
    let current = await claims.get(name, { signal: this.#handle.signal });
    if (current.metadata?.uid !== uid) throw new Error(`claim ${namespace}/${name} was deleted and made again`);
    if (given !== undefined && !current.metadata?.finalizers?.includes(FINALIZER)) {
      const finalizers = [...(current.metadata?.finalizers ?? []), FINALIZER];
      current = await claims.update(
        { ...current, metadata: { ...current.metadata, finalizers } },
        { signal: this.#handle.signal },
      );
    }
    const allocation =
      current.status?.allocation ??
      (given &&
        ({ ...given, allocationTimestamp: formatTime(this.#handle.clock.now()) } satisfies FieldsOf<AllocationResult>));
    const reservedFor = [...(current.status?.reservedFor ?? []), consumer];
    await claims.updateStatus(
      {
        ...current,
        status: {
          ...current.status,
          ...(allocation && ({ allocation } satisfies FieldsOf<ResourceClaimStatus>)),
          reservedFor,
        },
      },
      { signal: this.#handle.signal },
    );
  }

  async #deallocate(claim: ResourceClaim): Promise<void> {
    const { allocation: _, reservedFor: __, ...status } = claim.status ?? {};
    const claims = this.#handle.client.of(GROUP, "ResourceClaim").namespace(claim.metadata?.namespace ?? "");
    await claims.updateStatus({ ...claim, status }, { signal: this.#handle.signal });
  }
}

function isUsableOn(allocation: AllocationResult | undefined, node: NodeInfo): boolean {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

const isSame = (pod: Pod, other: Pod): boolean => pod.metadata?.uid === other.metadata?.uid;
