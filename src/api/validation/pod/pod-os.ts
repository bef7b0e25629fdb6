import { forbiddenField } from "../../../machinery/errors/field-error.js";
import { absent, list, object, type Received } from "../../../machinery/meta/received.js";
import type { PodSecurityContext, PodSpec, SecurityContext } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { eachContainer } from "./each-container.js";

/** Linux and Windows have each what the other may not. */
export function checkOperatingSystem(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const os = object(spec.os).name;
  if (os !== "linux" && os !== "windows") return;
  const context = object(spec.securityContext);
  const refuse = (at: string) => {
    const detail = os === "linux" ? "windows options cannot be set for a linux pod" : "cannot be set for a windows pod";
    errors.push(forbiddenField(at, detail));
  };
  const inPod = `${path}.securityContext`;
  if (os === "linux") {
    if (!absent(context.windowsOptions)) refuse(`${inPod}.windowsOptions`);
  } else {
    for (const [field, ofSpec] of NOT_FOR_WINDOWS) {
      const value = ofSpec === "spec" ? spec[field] : context[field];
      const empty = absent(value) || value === false || (field === "sysctls" && list(context.sysctls).length === 0);
      const unset = SET_BY_FALSE.has(field) ? absent(value) : empty;
      if (!unset) refuse(`${ofSpec === "spec" ? path : inPod}.${field}`);
    }
  }
  for (const [container, at] of eachContainer(spec, path)) {
    const own = object(container.securityContext);
    const fields = os === "linux" ? (["windowsOptions"] as const) : NOT_FOR_WINDOWS_CONTAINERS;
    for (const field of fields) if (!absent(own[field])) refuse(`${at}.securityContext.${field}`);
  }
}

/** Whose false counts as set. */
const SET_BY_FALSE: ReadonlySet<string> = new Set(["hostUsers", "shareProcessNamespace"]);

type MarkedField = readonly [field: keyof PodSpec, of: "spec"] | readonly [field: keyof PodSecurityContext, of?: never];

/** In upstream's order; "spec" marks the fields of the pod's spec. */
const NOT_FOR_WINDOWS: readonly MarkedField[] = [
  ["appArmorProfile"],
  ["seLinuxOptions"],
  ["hostUsers", "spec"],
  ["hostPID", "spec"],
  ["hostIPC", "spec"],
  ["seccompProfile"],
  ["fsGroup"],
  ["fsGroupChangePolicy"],
  ["sysctls"],
  ["shareProcessNamespace", "spec"],
  ["runAsUser"],
  ["runAsGroup"],
  ["supplementalGroups"],
  ["supplementalGroupsPolicy"],
  ["seLinuxChangePolicy"],
];

const NOT_FOR_WINDOWS_CONTAINERS: readonly (keyof SecurityContext)[] = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];
