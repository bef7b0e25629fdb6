import { largest, smallest } from "../../base/collections/append.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { DeviceTaint, DeviceToleration, ResourceClaim, ResourceSlice } from "../../api/types/resource/v1.js";

/** Finds the taints of a device. */
export type TaintsOf = (driver: string, pool: string, device: string) => readonly DeviceTaint[];

/** The taints that slices say; of a pool only the newest generation counts. */
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
 * When a pod has to go because of its devices' NoExecute taints, in milliseconds; undefined where it tolerates them all. `claims`
 * are those that the pod uses, `now` is the time of taints without one.
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
