import { child, children, type Fields, text } from "../../machinery/meta/access.js";
import { defaultCount, defaultDevice, deviceRequests } from "./devices.js";

/** resource.k8s.io/v1beta1. A request without a class has alternatives instead, and no count of its own. */
export function defaultBetaResourceClaim(claim: Fields): void {
  for (const request of deviceRequests(claim)) {
    if (text(request.deviceClassName) !== "") defaultCount(request);
    for (const alternative of children(request, "firstAvailable")) defaultCount(alternative);
  }
}

export function defaultBetaResourceClaimTemplate(template: Fields): void {
  const claim = child(template, "spec");
  if (claim !== undefined) defaultBetaResourceClaim(claim);
}

export function defaultBetaResourceSlice(slice: Fields, now: number): void {
  for (const device of children(child(slice, "spec") ?? {}, "devices")) {
    const basic = child(device, "basic");
    if (basic !== undefined) defaultDevice(basic, now);
  }
}
