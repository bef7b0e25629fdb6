import {
  absent,
  isFields,
  number,
  type ReadonlyFields,
  text,
  child,
  children,
  type Fields,
} from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { compact, without, withChild, withChildren } from "../copies.js";
import type { VersionTable } from "../version-table.js";
import { defaultCount, defaultDevice, deviceRequests } from "../../defaults/devices.js";

/** Converts resource.k8s.io/v1beta1, where an exact request is in the request itself, and a device in its `basic`. v1beta2 has v1's shape. */
export const RESOURCE_BETA: VersionTable = {
  "resource.k8s.io/v1beta1/ResourceClaim": {
    conversion: {
      toHub: (claim) => withRequests(claim, requestFromBeta),
      fromHub: (claim) => withRequests(claim, requestToBeta),
    },
    applyDefaults: defaultBetaResourceClaim,
  },
  "resource.k8s.io/v1beta1/ResourceClaimTemplate": {
    conversion: {
      toHub: (template) => withChild(template, "spec", (spec) => withRequests(spec, requestFromBeta)),
      fromHub: (template) => withChild(template, "spec", (spec) => withRequests(spec, requestToBeta)),
    },
    applyDefaults: defaultBetaResourceClaimTemplate,
  },
  "resource.k8s.io/v1beta1/ResourceSlice": {
    conversion: { toHub: sliceFromBeta, fromHub: sliceToBeta },
    applyDefaults: defaultBetaResourceSlice,
  },
};

function withRequests<T extends ReadonlyFields>(claim: T, change: (request: ReadonlyFields) => ReadonlyFields): T {
  return withChild(claim, "spec", (spec) =>
    withChild(spec, "devices", (devices) => withChildren(devices, "requests", change)),
  );
}

const EXACT_FIELDS = [
  "deviceClassName",
  "selectors",
  "allocationMode",
  "count",
  "adminAccess",
  "tolerations",
  "capacity",
  "derivedAttributes",
] as const;

function requestFromBeta(beta: ReadonlyFields): ReadonlyFields {
  const isExact =
    text(beta.deviceClassName) !== "" ||
    text(beta.allocationMode) !== "" ||
    number(beta.count) !== 0 ||
    [beta.selectors, beta.adminAccess, beta.tolerations, beta.capacity, beta.derivedAttributes].some(
      (value) => !absent(value),
    );
  const request = without(beta, EXACT_FIELDS);
  if (!isExact) return request;
  const exactly = compact(Object.fromEntries(EXACT_FIELDS.map((field) => [field, beta[field]])));
  return { ...request, exactly };
}

function requestToBeta({ exactly, ...request }: ReadonlyFields): ReadonlyFields {
  return isFields(exactly) ? { ...request, ...exactly } : request;
}

function sliceFromBeta(slice: KubeObject): KubeObject {
  return withChild(slice, "spec", (spec) => {
    // Empty is absent in v1beta1, and a value of its own in v1.
    const emptied = [
      ...(text(spec.nodeName) === "" ? ["nodeName"] : []),
      ...(spec.allNodes === true ? [] : ["allNodes"]),
    ];
    return withChildren(without(spec, emptied), "devices", deviceFromBeta);
  });
}

function sliceToBeta(slice: KubeObject): KubeObject {
  return withChild(slice, "spec", (spec) => withChildren(spec, "devices", deviceToBeta));
}

function deviceFromBeta({ name, basic }: ReadonlyFields): ReadonlyFields {
  return { name, ...(isFields(basic) && basic) };
}

function deviceToBeta({ name, ...basic }: ReadonlyFields): ReadonlyFields {
  return { name, basic };
}

/** resource.k8s.io/v1beta1. A request without a class has alternatives instead, and no count of its own. */
function defaultBetaResourceClaim(claim: Fields): void {
  for (const request of deviceRequests(claim)) {
    if (text(request.deviceClassName) !== "") defaultCount(request);
    for (const alternative of children(request, "firstAvailable")) defaultCount(alternative);
  }
}

function defaultBetaResourceClaimTemplate(template: Fields): void {
  const claim = child(template, "spec");
  if (claim !== undefined) defaultBetaResourceClaim(claim);
}

function defaultBetaResourceSlice(slice: Fields, now: number): void {
  for (const device of children(child(slice, "spec") ?? {}, "devices")) {
    const basic = child(device, "basic");
    if (basic !== undefined) defaultDevice(basic, now);
  }
}
