import {
  absent,
  child,
  children,
  type Fields,
  isFields,
  number,
  setDefault,
  text,
} from "../../machinery/meta/access.js";

/** Sets the defaults of a ResourceClaim in resource.k8s.io/v1 and v1beta2. */
export function defaultResourceClaim(claim: Fields): void {
  for (const request of deviceRequests(claim)) {
    const exactly = child(request, "exactly");
    if (exactly !== undefined) defaultCount(exactly);
    for (const alternative of children(request, "firstAvailable")) defaultCount(alternative);
  }
}

export function defaultResourceClaimTemplate(template: Fields): void {
  const claim = child(template, "spec");
  if (claim !== undefined) defaultResourceClaim(claim);
}

/** Sets the defaults of a ResourceSlice in v1 and v1beta2. */
export function defaultResourceSlice(slice: Fields, now: number): void {
  for (const device of children(child(slice, "spec") ?? {}, "devices")) defaultDevice(device, now);
}

export function defaultDeviceTaintRule(rule: Fields, now: number): void {
  const taint = child(child(rule, "spec") ?? {}, "taint");
  if (taint !== undefined) defaultTaint(taint, now);
}

/** The requests of a claim in every version. */
export function deviceRequests(claim: Fields): Fields[] {
  return children(child(child(claim, "spec") ?? {}, "devices") ?? {}, "requests");
}

/** Sets the defaults of allocationMode and count in any type that requests devices. */
export function defaultCount(request: Fields): void {
  if (text(request.allocationMode) === "") request.allocationMode = "ExactCount";
  if (request.allocationMode === "ExactCount" && number(request.count) === 0) request.count = 1;
}

/** Sets the defaults of a device, or in v1beta1 of its `basic`. */
export function defaultDevice(device: Fields, now: number): void {
  for (const taint of children(device, "taints")) defaultTaint(taint, now);
  for (const mapping of Object.values(child(device, "nodeAllocatableResourceMappings") ?? {})) {
    if (isFields(mapping)) setDefault(mapping, "allocationMultiplier", "1");
  }
}

/** A taint is as old as the request that brings it, in whole seconds. */
function defaultTaint(taint: Fields, now: number): void {
  if (!absent(taint.timeAdded)) return;
  taint.timeAdded = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}
