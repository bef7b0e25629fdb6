import { goQuote } from "../../../base/text/go-quote.js";
import { type CheckedPod, containersOf, type Control, type Violation } from "../control.js";
import { distinct, plural } from "../wording.js";
import { seccompTypes } from "./seccomp-types.js";

/** How profiles were chosen before 1.19. */
const OF_POD = "seccomp.security.alpha.kubernetes.io/pod";
const OF_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

const allowedValue = (profile: string): boolean =>
  profile === "runtime/default" || profile === "docker/default" || profile.startsWith("localhost/");

function checkAnnotations(pod: CheckedPod): Violation | undefined {
  const annotations = pod.metadata?.annotations ?? {};
  const forbidden = distinct(
    [OF_POD, ...containersOf(pod).map(({ name }) => OF_CONTAINER + name)].flatMap((key) => {
      const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
      return value === undefined || allowedValue(value) ? [] : [`${key}=${goQuote(value)}`];
    }),
  );
  if (forbidden.length === 0) return undefined;
  const word = plural("annotation", "annotations", forbidden.length);
  return { reason: "seccompProfile", detail: `forbidden ${word} ${forbidden.join(", ")}` };
}

function checkFields(pod: CheckedPod): Violation | undefined {
  const { forbidden } = seccompTypes(pod);
  return forbidden === undefined ? undefined : { reason: "seccompProfile", detail: forbidden };
}

/** No container goes without a seccomp profile that it would have by default. */
export const seccompProfileBaseline: Control = {
  id: "seccompProfile_baseline",
  level: "baseline",
  revisions: [
    { since: 0, check: checkAnnotations },
    { since: 19, check: checkFields },
  ],
};
