import {
  type Control,
  type CheckedPod,
  containersOf,
  type Violation,
  exceptOfWindows,
  containersNamed,
  distinct,
  quoted,
} from "../control.js";

/** What container runtimes grant by default, without NET_RAW. */
const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Containers add no capability beyond the default ones. */
export const capabilitiesBaseline: Control = {
  id: "capabilities_baseline",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const detail = forbiddenAdditions(pod, DEFAULT_CAPABILITIES);
        return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
      },
    },
  ],
};

const BINDING_LOW_PORTS: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);
const overrides = ["capabilities_baseline"];

function check(pod: CheckedPod): Violation | undefined {
  const keeping = containersOf(pod)
    .filter(({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true)
    .map(({ name }) => name);
  const kept =
    keeping.length === 0 ? undefined : `${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`;
  const details = [kept, forbiddenAdditions(pod, BINDING_LOW_PORTS)].filter((detail) => detail !== undefined);
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

/** Containers drop all capabilities, and add none but NET_BIND_SERVICE. */
export const capabilitiesRestricted: Control = {
  id: "capabilities_restricted",
  level: "restricted",
  revisions: [
    { since: 22, check, overrides },
    { since: 25, check: exceptOfWindows(check), overrides },
  ],
};

/** What is said of the capabilities that containers add beyond the allowed ones; undefined for none. */
function forbiddenAdditions(pod: CheckedPod, allowed: ReadonlySet<string>): string | undefined {
  const adding = containersOf(pod).flatMap(({ name, securityContext }) => {
    const capabilities = (securityContext?.capabilities?.add ?? []).filter((one) => !allowed.has(one));
    return capabilities.length === 0 ? [] : [{ name, capabilities }];
  });
  if (adding.length === 0) return undefined;
  const containers = containersNamed(adding.map(({ name }) => name));
  const capabilities = quoted(distinct(adding.flatMap((one) => one.capabilities)));
  return `${containers} must not include ${capabilities} in securityContext.capabilities.add`;
}
