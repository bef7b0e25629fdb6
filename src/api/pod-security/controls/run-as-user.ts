import { type CheckedPod, containersOf, type Control, type Violation } from "../control.js";
import { setters } from "../wording.js";
import { exceptInUserNamespaces } from "./relaxations.js";

function checkUser(pod: CheckedPod): Violation | undefined {
  const root = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsUser === 0);
  const who = setters(
    pod.spec.securityContext?.runAsUser === 0,
    root.map(({ name }) => name),
  );
  return who === "" ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
}

/** No container is given root's user id, outside of user namespaces. */
export const runAsUser: Control = {
  id: "runAsUser",
  level: "restricted",
  revisions: [
    { since: 23, check: checkUser },
    { since: 35, check: exceptInUserNamespaces(checkUser) },
  ],
};
