import {
  type CheckedPod,
  containersOf,
  type Control,
  type Violation,
  exceptInUserNamespaces,
  containersNamed,
  distinct,
  quoted,
} from "../control.js";

function check(pod: CheckedPod): Violation | undefined {
  const bad = containersOf(pod).flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount ?? "Default";
    return type === "Default" ? [] : [{ name, type }];
  });
  if (bad.length === 0) return undefined;
  const containers = containersNamed(bad.map(({ name }) => name));
  const types = quoted(distinct(bad.map(({ type }) => type)));
  return { reason: "procMount", detail: `${containers} must not set securityContext.procMount to ${types}` };
}

const BASELINE = "procMount";

/** The runtime's masks of /proc stay, outside of user namespaces. */
export const procMount: Control = {
  id: BASELINE,
  level: "baseline",
  revisions: [
    { since: 0, check },
    { since: 35, check: exceptInUserNamespaces(check) },
  ],
};

/** The runtime's masks of /proc stay in user namespaces too. Until 1.34 the baseline control asks for the same. */
export const procMountRestricted: Control = {
  id: "procMount_restricted",
  level: "restricted",
  revisions: [{ since: 35, check, overrides: [BASELINE] }],
};
