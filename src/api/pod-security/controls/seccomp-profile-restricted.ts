import type { CheckedPod, Control, Violation } from "../control.js";
import { containersNamed } from "../wording.js";
import { exceptOfWindows } from "./relaxations.js";
import { seccompTypes } from "./seccomp-types.js";

const overrides = ["seccompProfile_baseline"];

function check(pod: CheckedPod): Violation | undefined {
  const { forbidden, unset } = seccompTypes(pod);
  if (forbidden !== undefined) return { reason: "seccompProfile", detail: forbidden };
  if (unset.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containersNamed(unset)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

/** Every container has a seccomp profile: the runtime's or one of the node. */
export const seccompProfileRestricted: Control = {
  id: "seccompProfile_restricted",
  level: "restricted",
  revisions: [
    { since: 19, check, overrides },
    { since: 25, check: exceptOfWindows(check), overrides },
  ],
};
