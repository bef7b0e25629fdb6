import { goQuote } from "../../../base/text/go-quote.js";
import {
  type CheckedPod,
  containersOf,
  type Control,
  type Violation,
  exceptOfWindows,
  distinct,
  plural,
  containersNamed,
  quoted,
  setters,
} from "../control.js";
import type { SeccompProfile } from "../../types/core/v1.js";

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

const ALLOWED: ReadonlySet<string> = new Set(["Localhost", "RuntimeDefault"]);

/** A profile without a type chooses none, which is not allowed. */
const typeOf = (profile: SeccompProfile | undefined): string | undefined => profile && (profile.type ?? "");

export interface SeccompTypes {
  /** What is said of the types that are not allowed; undefined for none. */
  readonly forbidden: string | undefined;
  /** The containers that no allowed type holds for, as neither they nor the pod set one. */
  readonly unset: readonly string[];
}

/** The types of seccomp profiles that a pod and its containers set. */
function seccompTypes(pod: CheckedPod): SeccompTypes {
  const own = typeOf(pod.spec.securityContext?.seccompProfile);
  const profiles = containersOf(pod).map(({ name, securityContext }) => ({
    name,
    type: typeOf(securityContext?.seccompProfile),
  }));
  const isBad = (type: string | undefined): type is string => type !== undefined && !ALLOWED.has(type);
  const who = setters(
    isBad(own),
    profiles.filter(({ type }) => isBad(type)).map(({ name }) => name),
  );
  const types = distinct([own, ...profiles.map(({ type }) => type)].filter(isBad));
  const isSet = own !== undefined && !isBad(own);
  return {
    forbidden: who === "" ? undefined : `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
    unset: isSet ? [] : profiles.filter(({ type }) => type === undefined).map(({ name }) => name),
  };
}
