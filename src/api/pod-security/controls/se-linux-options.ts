import type { SELinuxOptions } from "../../types/core/v1.js";
import { type Check, containersOf, type Control, distinct, plural, quoted, setters } from "../control.js";

const TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];

function allowing(types: readonly string[]): Check {
  const isBadType = (type: string): boolean => !types.includes(type);
  const isBad = (options: SELinuxOptions | undefined): options is SELinuxOptions =>
    options !== undefined && (isBadType(options.type ?? "") || given(options.user) || given(options.role));
  return (pod) => {
    const own = pod.spec.securityContext?.seLinuxOptions;
    const setting = containersOf(pod).map(({ name, securityContext }) => ({
      name,
      options: securityContext?.seLinuxOptions,
    }));
    const containers = setting.filter(({ options }) => isBad(options)).map(({ name }) => name);
    const bad = [own, ...setting.map(({ options }) => options)].filter(isBad);
    if (bad.length === 0) return undefined;
    const badTypes = distinct(bad.map(({ type = "" }) => type).filter(isBadType));
    const faults = [
      ...(badTypes.length === 0 ? [] : [`${plural("type", "types", badTypes.length)} ${quoted(badTypes)}`]),
      ...(bad.some(({ user }) => given(user)) ? ["user may not be set"] : []),
      ...(bad.some(({ role }) => given(role)) ? ["role may not be set"] : []),
    ];
    const who = setters(isBad(own), containers);
    return {
      reason: "seLinuxOptions",
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`,
    };
  };
}

const given = (text: string | undefined): boolean => (text ?? "") !== "";

/** SELinux types are those of containers, and user and role are the runtime's. */
export const seLinuxOptions: Control = {
  id: "seLinuxOptions",
  level: "baseline",
  revisions: [
    { since: 0, check: allowing(TYPES) },
    { since: 31, check: allowing([...TYPES, "container_engine_t"]) },
  ],
};
