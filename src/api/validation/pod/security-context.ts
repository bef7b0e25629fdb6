import { duplicate, invalidValue, notSupported, required, tooLong } from "../../../machinery/errors/field-error.js";
import { absent, list, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  Sysctl,
  AppArmorProfile,
  SeccompProfile,
} from "../../types/core/v1.js";
import { checkOneOf, checkRange, type Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import type { PodValidationOptions } from "./pod-options.js";
import { validateWindowsOptions } from "./pod-os.js";
import { checkDescendingPath } from "../volumes/file-paths.js";

const MAX_ID = 2 ** 31 - 1;

const checkId = (value: unknown, path: string, errors: Errors) => checkRange(value, path, 0, MAX_ID, errors);

/** Validates the security context of a container. `hostUsers` is false where the pod has a user namespace of its own. */
export function validateSecurityContext(
  context: Received<SecurityContext>,
  hostUsers: boolean,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  checkId(context.runAsUser, `${path}.runAsUser`, errors);
  checkId(context.runAsGroup, `${path}.runAsGroup`, errors);
  checkOneOf(context.procMount, `${path}.procMount`, ["Default", "Unmasked"], errors);
  if (hostUsers && context.procMount === "Unmasked") {
    errors.push(invalidValue(`${path}.procMount`, "Unmasked", "`hostUsers` must be false to use `Unmasked`"));
  }
  validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`, errors);
  if (context.allowPrivilegeEscalation === false) checkEscalation(context, path, options, errors);
  validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, errors);
  validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`, errors);
}

function checkEscalation(
  context: Received<SecurityContext>,
  path: string,
  { allowSysAdminWithoutEscalation }: PodValidationOptions,
  errors: Errors,
): void {
  const refuse = (what: string) => {
    const shown = goJson("SecurityContext", context);
    errors.push(invalidValue(path, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`));
  };
  if (context.privileged === true) refuse("`privileged` to true");
  if (allowSysAdminWithoutEscalation) return;
  for (const capability of list(object(context.capabilities).add)) {
    if (capability === "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN");
  }
}

/**
 * Validates the security context of a pod. `spec` has the fields that upstream counts as part of it: hostNetwork, hostPID, hostIPC and
 * shareProcessNamespace.
 */
export function validatePodSecurityContext(
  context: Received<PodSecurityContext>,
  spec: Received<PodSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  for (const field of ["fsGroup", "runAsUser", "runAsGroup"] as const)
    checkId(context[field], `${path}.${field}`, errors);
  for (const [index, group] of list(context.supplementalGroups).entries()) {
    checkId(group, `${path}.supplementalGroups[${index}]`, errors);
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalidValue(`${path}.shareProcessNamespace`, true, detail));
  }
  validateSysctls(objects(context.sysctls), spec, `${path}.sysctls`, options, errors);
  checkOneOf(context.fsGroupChangePolicy, `${path}.fsGroupChangePolicy`, ["Always", "OnRootMismatch"], errors);
  validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`, errors);
  validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, errors);
  validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`, errors);
  checkOneOf(context.supplementalGroupsPolicy, `${path}.supplementalGroupsPolicy`, ["Merge", "Strict"], errors);
  const policy = context.seLinuxChangePolicy;
  const allowed = options.allowMountOptionPolicy ? ["MountOption", "Recursive"] : ["Recursive"];
  if (!absent(policy) && !allowed.includes(text(policy))) {
    errors.push(notSupported(`${path}.seLinuxChangePolicy`, policy, allowed));
  }
}

const SYSCTL = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlName = new RegExp(`^${SYSCTL}$`);

function validateSysctls(
  sysctls: readonly Received<Sysctl>[],
  spec: Received<PodSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const seen = new Set<string>();
  for (const [index, sysctl] of sysctls.entries()) {
    const at = `${path}[${index}].name`;
    const name = text(sysctl.name);
    if (name === "") errors.push(required(at));
    else if (name.length > 253 || !sysctlName.test(name)) {
      errors.push(invalidValue(at, name, `must have at most 253 characters and match regex ^${SYSCTL}$`));
    } else if (seen.has(name)) errors.push(duplicate(at, name));
    const host = options.allowHostSysctls ? undefined : hostField(name, spec);
    if (host !== undefined) errors.push(invalidValue(at, name, `may not be specified when '${host}' is true`));
    seen.add(name);
  }
}

/** The namespace of the host that this setting would change, when the pod shares it. */
export function hostField(sysctl: string, spec: Received<PodSpec>): "hostNetwork" | "hostIPC" | undefined {
  const name = normalSysctl(sysctl);
  if (spec.hostNetwork === true && name.startsWith("net.")) return "hostNetwork";
  const ipc = name.startsWith("kernel.shm") || name.startsWith("kernel.msg") || name.startsWith("fs.mqueue.");
  return spec.hostIPC === true && (ipc || name === "kernel.sem") ? "hostIPC" : undefined;
}

/** `net/ipv4/x` is another way to write `net.ipv4.x`. */
function normalSysctl(name: string): string {
  const separator = name.search(/[./]/);
  if (separator < 0 || name[separator] === ".") return name;
  return name.replace(/[./]/g, (mark) => (mark === "/" ? "." : "/"));
}

const TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];

function validateSeccompProfile(
  profile: Received<SeccompProfile> | null | undefined,
  path: string,
  errors: Errors,
): void {
  if (absent(profile)) return;
  const { localhostProfile } = object(profile);
  const type: string | null | undefined = object(profile).type;
  if (absent(type) || type === "") {
    errors.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  } else if (!TYPES.includes(text(type))) errors.push(notSupported(`${path}.type`, type, TYPES));
  const at = `${path}.localhostProfile`;
  if (type === "Localhost") {
    if (absent(localhostProfile)) errors.push(required(at, "must be set when seccomp type is Localhost"));
    else checkDescendingPath(text(localhostProfile), at, errors);
  } else if (!absent(localhostProfile)) {
    const shown = goJson("SeccompProfile", object(profile));
    errors.push(invalidValue(at, shown, "can only be set when seccomp type is Localhost"));
  }
}

const MAX_PROFILE_NAME = 4095;

export function validateAppArmorProfile(
  profile: Received<AppArmorProfile> | null | undefined,
  path: string,
  errors: Errors,
): void {
  if (absent(profile)) return;
  const { localhostProfile } = object(profile);
  const type: string | null | undefined = object(profile).type;
  const at = `${path}.localhostProfile`;
  if (type === "Localhost") validateLocalhostProfile(localhostProfile, at, errors);
  else if (absent(type) || type === "") {
    errors.push(required(`${path}.type`, "type is required when appArmorProfile is set"));
  } else if (!TYPES.includes(text(type))) errors.push(notSupported(`${path}.type`, type, TYPES));
  else if (!absent(localhostProfile)) {
    errors.push(invalidValue(at, localhostProfile, "can only be set when AppArmor type is Localhost"));
  }
}

function validateLocalhostProfile(value: string | null | undefined, path: string, errors: Errors): void {
  const name = text(value);
  const missing = "must be set when AppArmor type is Localhost";
  if (absent(value)) {
    errors.push(required(path, missing));
    return;
  }
  if (name.trim() !== name) errors.push(invalidValue(path, name, "must not be padded with whitespace"));
  else if (name === "") errors.push(required(path, missing));
  if (Buffer.byteLength(name) > MAX_PROFILE_NAME) errors.push(tooLong(path, MAX_PROFILE_NAME));
}
