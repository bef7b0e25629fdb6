import type { Check, CheckedPod } from "../control.js";

/** The pod's root is not the root of its node. */
const hasUserNamespace = ({ spec }: CheckedPod): boolean => spec.hostUsers === false;

const isOfWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === "windows";

/** Allows pods in a user namespace, and checks the others. */
export const exceptInUserNamespaces =
  (check: Check): Check =>
  (pod) =>
    hasUserNamespace(pod) ? undefined : check(pod);

/** Allows pods of Windows, whose validation refuses the fields that the check would ask for. */
export const exceptOfWindows =
  (check: Check): Check =>
  (pod) =>
    isOfWindows(pod) ? undefined : check(pod);
