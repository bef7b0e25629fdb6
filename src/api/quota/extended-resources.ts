import type { Pod } from "../types/core/v1.js";
import type { DeviceClass } from "../types/resource/v1.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ReceivedObject } from "../../machinery/meta/received.js";
import type { ResizeSums } from "../pods/pod-total.js";
import { DEVICE_CLASS, podUsage } from "./pod-usage.js";
import { moreUsage, raiseUsage, type Usage } from "./usage.js";

/** The suffix after the name of a device class: the devices of that class which claims request. */
export const CLAIMED_DEVICES = ".deviceclass.resource.k8s.io/devices";
/** Marks the claim that the scheduler made for the extended resources of a pod. */
const OF_EXTENDED_RESOURCES = "resource.kubernetes.io/extended-resource-claim";

/** The objects that decide which extended resources a ResourceClaim uses. */
export interface DeviceFacts {
  readonly classes: readonly ReceivedObject<DeviceClass>[];
  /** Of the claim's namespace, as {@link claims}. */
  readonly pods: readonly Pod[];
  readonly claims: readonly ApiObject[];
  /** How pods count that are being resized. Default: as in the oldest version of Kubernetes that there is. */
  readonly resizes?: ResizeSums;
}

export const NO_DEVICES: DeviceFacts = { classes: [], pods: [], claims: [] };

/** Whether this extended resource stands for a device of some class. `name` is as quotas have it: "requests.example.com/gpu". */
export const isDevice = (name: string, classes: DeviceFacts["classes"]): boolean =>
  classes.some((one) => resourcesOf(one.metadata?.name ?? "", one).includes(name));

/**
 * The extended resources that a ResourceClaim uses with its devices, less what quota counts for the pod that it was made for.
 * `devices` are the claim's devices by class.
 */
export function extendedUsage(claim: ApiObject, devices: Usage, facts: DeviceFacts, now: number): Usage {
  const usage: Usage = new Map();
  for (const [name, amount] of devices) {
    const className = name.endsWith(CLAIMED_DEVICES) ? name.slice(0, -CLAIMED_DEVICES.length) : "";
    if (className === "") continue;
    const found = facts.classes.find(({ metadata }) => metadata?.name === className);
    raiseUsage(usage, new Map(resourcesOf(className, found).map((resource) => [resource, amount])));
  }
  const pod = payingPod(claim, facts);
  return moreUsage(usage, pod === undefined ? undefined : podUsage(pod, now, facts.resizes));
}

function resourcesOf(className: string, deviceClass: ReceivedObject<DeviceClass> | undefined): readonly string[] {
  const name = deviceClass?.spec?.extendedResourceName ?? "";
  return [`requests.${DEVICE_CLASS}${className}`, ...(name === "" ? [] : [`requests.${name}`])];
}

/** The name of the pod that may be charged for the extended resources of a claim; undefined for a claim that was not made for a pod. */
export const payingPodName = (claim: ApiObject): string | undefined =>
  payingUid(claim) === undefined ? undefined : ownerOf(claim)?.name;

/** The pod for whose extended resources the claim was made. It pays for one claim: the one in its status, or else its oldest. */
function payingPod(claim: ApiObject, { pods, claims }: DeviceFacts): Pod | undefined {
  const uid = payingUid(claim);
  if (uid === undefined) return undefined;
  const name = payingPodName(claim);
  const pod = pods.find(({ metadata }) => metadata?.name === name && metadata?.uid === uid);
  const shown = pod?.status?.extendedResourceClaimStatus;
  if (shown != null) return shown.resourceClaimName === claim.metadata?.name ? pod : undefined;
  return claims.some((other) => payingUid(other) === uid && isOlder(other, claim)) ? undefined : pod;
}

/** The uid of the pod that a claim of extended resources belongs to. */
function payingUid(claim: ApiObject): string | undefined {
  if (claim.metadata?.annotations?.[OF_EXTENDED_RESOURCES] !== "true") return undefined;
  const owner = ownerOf(claim);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner.uid : undefined;
}

const ownerOf = ({ metadata }: ApiObject) =>
  (metadata?.ownerReferences ?? []).find(({ controller }) => controller === true);

function isOlder(one: ApiObject, other: ApiObject): boolean {
  const [left, right] = [one, other].map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? "")) as [
    number,
    number,
  ];
  return left < right || (left === right && (one.metadata?.name ?? "") < (other.metadata?.name ?? ""));
}
