import { type CheckedPod, containersOf, type Control, type Violation } from "../control.js";
import { containersNamed } from "../wording.js";
import { forbiddenAdditions } from "./added-capabilities.js";
import { exceptOfWindows } from "./relaxations.js";

const ALLOWED: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);
const overrides = ["capabilities_baseline"];

function check(pod: CheckedPod): Violation | undefined {
  const keeping = containersOf(pod)
    .filter(({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true)
    .map(({ name }) => name);
  const kept =
    keeping.length === 0 ? undefined : `${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`;
  const details = [kept, forbiddenAdditions(pod, ALLOWED)].filter((detail) => detail !== undefined);
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
