import type { SeccompProfile } from "../../types/core/v1.js";
import { type CheckedPod, containersOf } from "../control.js";
import { distinct, quoted, setters } from "../wording.js";

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
export function seccompTypes(pod: CheckedPod): SeccompTypes {
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
