import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from "../../../../api/types/core/v1.js";
import { broken, type Held, maximum, maximumRatio, maximumRequest, minimum } from "./constraints.js";
import { heldByClaim, heldByContainer, heldByPod } from "./held-amounts.js";

/** What of a range a pod breaks, in kube-apiserver's words and order. */
export function brokenByPod(pod: Pod, { spec }: LimitRange): string[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return (spec?.limits ?? []).flatMap((item) => {
    if (item.type === "Container") return containers.flatMap((one) => brokenBy(heldByContainer(one), item));
    return item.type === "Pod" ? brokenBy(heldByPod(pod.spec), item) : [];
  });
}

const brokenBy = (held: Held, { type, min, max, maxLimitRequestRatio }: LimitRangeItem): string[] => [
  ...broken(minimum, type, min, held),
  ...broken(maximum, type, max, held),
  ...broken(maximumRatio, type, maxLimitRequestRatio, held),
];

/** What of a range a claim breaks. */
export function brokenByClaim(claim: PersistentVolumeClaim, { spec }: LimitRange): string[] {
  const held = heldByClaim(claim);
  return (spec?.limits ?? [])
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap(({ type, min, max }) => [...broken(minimum, type, min, held), ...broken(maximumRequest, type, max, held)]);
}
