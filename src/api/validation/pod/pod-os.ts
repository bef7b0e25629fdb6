import { forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, list, object, type Received, text } from "../../../machinery/meta/received.js";
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  WindowsSecurityContextOptions,
} from "../../types/core/v1.js";
import { type Errors, check } from "../collect.js";
import { eachContainer, type AnyContainer } from "./each-container.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";

/** Checks that a pod for Linux sets no field of Windows, and one for Windows no field of Linux. */
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

const MAX_SPEC_BYTES = 64 * 1024;

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsDomain = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const badUser = /["/\\:;|=,+*?<>@[\]]/;

export function validateWindowsOptions(
  value: Received<WindowsSecurityContextOptions> | null | undefined,
  path: string,
  errors: Errors,
): void {
  if (absent(value)) return;
  const options = object(value);
  if (!absent(options.gmsaCredentialSpecName)) {
    check(text(options.gmsaCredentialSpecName), `${path}.gmsaCredentialSpecName`, dns1123SubdomainErrors, errors);
  }
  if (!absent(options.gmsaCredentialSpec)) {
    const spec = text(options.gmsaCredentialSpec);
    const at = `${path}.gmsaCredentialSpec`;
    if (spec === "") errors.push(invalidValue(at, spec, "gmsaCredentialSpec cannot be an empty string"));
    else if (Buffer.byteLength(spec) > MAX_SPEC_BYTES) {
      errors.push(invalidValue(at, spec, "gmsaCredentialSpec size must be under 64 KiB"));
    }
  }
  if (!absent(options.runAsUserName)) {
    const name = text(options.runAsUserName);
    for (const detail of userNameErrors(name)) errors.push(invalidValue(`${path}.runAsUserName`, name, detail));
  }
}

function userNameErrors(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (name.split("").some((character) => character < " " || character === "\u007f"))
    return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [domain, user = ""] = parts.length === 2 ? parts : [undefined, parts[0]];
  const errors: string[] = [];
  if (domain !== undefined) {
    if (Buffer.byteLength(domain) >= 256) errors.push("runAsUserName's Domain length must be under 256 characters");
    if (!netBios.test(domain) && !dnsDomain.test(domain)) {
      errors.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user === "") errors.push("runAsUserName's User cannot be empty");
  else if (Buffer.byteLength(user) > 104) {
    errors.push("runAsUserName's User length must not be longer than 104 characters");
  }
  if (/^[. ]+$/.test(user)) errors.push("runAsUserName's User cannot contain only periods or spaces");
  if (badUser.test(user)) {
    errors.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return errors;
}

/** Checks host process containers: either all containers are, or none, and the pod uses the host's network. */
export function validateHostProcesses(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const ofPod = hostProcess(spec);
  let [all, host] = [0, 0];
  for (const [container, at] of eachContainer(spec, path)) {
    all++;
    const own = hostProcess(container);
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalidValue(`${at}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    if (own ?? ofPod) host++;
  }
  if (host === 0) return;
  if (host !== all) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalidValue(path, "", detail));
  }
  if (spec.hostNetwork !== true) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(invalidValue(`${path}.hostNetwork`, false, detail));
  }
}

function hostProcess(holder: Received<AnyContainer | PodSpec>): boolean | undefined {
  const value = object(object(holder.securityContext).windowsOptions).hostProcess;
  return typeof value === "boolean" ? value : undefined;
}
