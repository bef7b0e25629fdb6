import type { Pod, PodCondition } from "../../api/types/core/v1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatTime } from "../../machinery/meta/time.js";
import type { ControllerContext } from "../context.js";
import { isPodDone, namesOfClaims } from "../resource-claim/pod-claims.js";
import { largest, smallest } from "../../base/collections/append.js";
import type { DeviceTaint, DeviceToleration, ResourceClaim, ResourceSlice } from "../../api/types/resource/v1.js";

const NAME = "device-taint-eviction-controller";

/** Deletes pods whose devices got a NoExecute taint that their claims do not tolerate. Only ResourceSlices taint devices here. */
export function deviceTaintEviction(context: ControllerContext): void {
  const { client, manager, clock } = context;
  const claims = manager.informers.of("resource.k8s.io/v1", "ResourceClaim");
  const slices = manager.informers.of("resource.k8s.io/v1", "ResourceSlice");
  const recorder = context.recorder({ component: NAME });
  const users = (all: Iterable<{ status?: { reservedFor?: { name: string }[] }; metadata?: { namespace?: string } }>) =>
    [...all].flatMap(({ metadata, status }) =>
      (status?.reservedFor ?? []).map(({ name }) => ({ namespace: metadata?.namespace ?? "", name })),
    );

  manager
    .controllerFor("v1", "Pod", { when: ({ spec }) => (spec?.resourceClaims ?? []).length > 0 })
    .named(NAME)
    .watches("resource.k8s.io/v1", "ResourceClaim", (claim) => users([claim]))
    .watches("resource.k8s.io/v1", "ResourceSlice", () => users(claims.cache.values()))
    .reconcile(async ({ namespace, object: pod }) => {
      if (pod === undefined || isPodDone(pod)) return;
      const used = namesOfClaims(pod).flatMap((name) => claims.cache.get(`${namespace}/${name}`) ?? []);
      if (used.length === 0) return;
      const now = clock.now();
      const due = evictionTime(pod, used, taintsIn([...slices.cache.values()]), now);
      if (due === undefined) return;
      if (due > now) return { requeueAfterMilliseconds: due - now };
      await evict(pod);
    });

  async function evict(pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    const pods = client.of("v1", "Pod").namespace(namespace);
    recorder.event(pod, "Normal", "DeviceTaintManagerEviction", "Marking for deletion");
    const condition: PodCondition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
      lastTransitionTime: formatTime(clock.now()),
    };
    try {
      await pods.patchStatus(name, { metadata: { uid }, status: { conditions: [condition] } }, { type: "strategic" });
      await pods.delete(name, { preconditions: { uid } });
    } catch (error) {
      // Gone, or another pod of the name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** Finds the taints of a device. */
export type TaintsOf = (driver: string, pool: string, device: string) => readonly DeviceTaint[];

/** Makes a function that finds a device's taints in slices; of a pool only the newest generation counts. */
export function taintsIn(slices: readonly ResourceSlice[]): TaintsOf {
  return (driver, pool, device) => {
    const ofPool = slices.filter(({ spec }) => spec.driver === driver && spec.pool.name === pool);
    const newest = largest(ofPool.map(({ spec }) => Number(spec.pool.generation)));
    return ofPool
      .filter(({ spec }) => Number(spec.pool.generation) === newest)
      .flatMap(({ spec }) => (spec.devices ?? []).filter(({ name }) => name === device))
      .flatMap(({ taints = [] }) => taints);
  };
}

/**
 * The time at which a pod must be evicted because of its devices' NoExecute taints, in milliseconds; undefined where it tolerates
 * them all. `claims` are those that the pod uses; `now` is the time of taints without one.
 */
export function evictionTime(
  pod: Pod,
  claims: readonly ResourceClaim[],
  taintsOf: TaintsOf,
  now: number,
): number | undefined {
  const { metadata, spec } = pod;
  if (metadata?.deletionTimestamp !== undefined || (spec?.nodeName ?? "") === "") return undefined;
  const times = claims
    .filter(({ status }) => status?.reservedFor?.some(({ uid }) => uid === metadata?.uid) === true)
    .flatMap(({ status }) => status?.allocation?.devices?.results ?? [])
    .flatMap(({ driver, pool, device, tolerations = [] }) =>
      taintsOf(driver, pool, device).flatMap((taint) => timeOf(taint, tolerations, now)),
    );
  return times.length === 0 ? undefined : smallest(times);
}

/** When a taint drives the users of a device out; none where it never does. */
function timeOf(taint: DeviceTaint, tolerations: readonly DeviceToleration[], now: number): number[] {
  if (taint.effect !== "NoExecute") return [];
  const added = taint.timeAdded === undefined ? now : Date.parse(taint.timeAdded);
  const tolerating = tolerations.filter((toleration) => tolerates(toleration, taint));
  if (tolerating.length === 0) return [added];
  const seconds = tolerating.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [Math.max(0, Number(tolerationSeconds))],
  );
  return seconds.length === 0 ? [] : [added + smallest(seconds) * 1000];
}

export function tolerates({ key = "", operator, value = "", effect }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (key !== "" && value === (taint.value ?? ""));
}
