import {
  type CheckedPod,
  containersOf,
  type Control,
  type Violation,
  exceptInUserNamespaces,
  containersNamed,
  setters,
} from "../control.js";

const reason = "runAsNonRoot != true";

function checkNonRoot(pod: CheckedPod): Violation | undefined {
  const own = pod.spec.securityContext?.runAsNonRoot;
  const containers = containersOf(pod);
  const refusing = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(
    own === false,
    refusing.map(({ name }) => name),
  );
  if (who !== "") return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (own === true) return undefined;
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot !== true);
  if (silent.length === 0) return undefined;
  const names = containersNamed(silent.map(({ name }) => name));
  return { reason, detail: `pod or ${names} must set securityContext.runAsNonRoot=true` };
}

/** Containers must not run as root, outside of user namespaces. */
export const runAsNonRoot: Control = {
  id: "runAsNonRoot",
  level: "restricted",
  revisions: [
    { since: 0, check: checkNonRoot },
    { since: 35, check: exceptInUserNamespaces(checkNonRoot) },
  ],
};

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
