import {
  type CheckedPod,
  containersOf,
  type Control,
  type Violation,
  exceptOfWindows,
  containersNamed,
} from "../control.js";

function check(pod: CheckedPod): Violation | undefined {
  const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const containers = containersNamed(bad.map(({ name }) => name));
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containers} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

/** No process gains more privileges than its parent. */
export const allowPrivilegeEscalation: Control = {
  id: "allowPrivilegeEscalation",
  level: "restricted",
  revisions: [
    { since: 8, check },
    { since: 25, check: exceptOfWindows(check) },
  ],
};

/** No container is privileged. */
export const privileged: Control = {
  id: "privileged",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.privileged === true);
        if (bad.length === 0) return undefined;
        const containers = containersNamed(bad.map(({ name }) => name));
        return { reason: "privileged", detail: `${containers} must not set securityContext.privileged=true` };
      },
    },
  ],
};
