import type { Container, EphemeralContainer, PodSpec } from "../types/core/v1.js";

/** The parts of a pod, or of a pod template, that the pod security standards check. */
export interface CheckedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec: PodSpec;
}

/** The reason why a control refuses a pod, in Kubernetes' words. */
export interface Violation {
  /** "hostPort" */
  readonly reason: string;
  /** Which containers, volumes or values it is: `container "a" uses hostPort 80`. */
  readonly detail: string;
}

/** Checks a pod; undefined when the control allows it. */
export type Check = (pod: CheckedPod) => Violation | undefined;

/** One control of the pod security standards. */
export interface Control {
  /** Kubernetes' name for it. Violations are listed by level, and within a level by these names. */
  readonly id: string;
  /** A baseline control holds at the restricted level too, unless a restricted one overrides it. */
  readonly level: "baseline" | "restricted";
  /** From the oldest to the newest. Before the first the control does not exist. */
  readonly revisions: readonly Revision[];
}

export interface Revision {
  /** The minor version of Kubernetes 1 from which it holds, until the next revision does. */
  readonly since: number;
  readonly check: Check;
  /** The baseline controls that this one is stricter than. */
  readonly overrides?: readonly string[];
}

export type AnyContainer = Container | EphemeralContainer;

/** All containers of a pod: init containers first, ephemeral ones last. */
export const containersOf = ({ spec }: CheckedPod): readonly AnyContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

/** The pod's root is not the root of its node. */
const hasUserNamespace = ({ spec }: CheckedPod): boolean => spec.hostUsers === false;

const isOfWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === "windows";

/** Allows pods in a user namespace, and checks the others. */
export const exceptInUserNamespaces =
  (check: Check): Check =>
  (pod) =>
    hasUserNamespace(pod) ? undefined : check(pod);

/** Makes a check that skips pods for Windows: validation rejects the fields there that the check would require. */
export const exceptOfWindows =
  (check: Check): Check =>
  (pod) =>
    isOfWindows(pod) ? undefined : check(pod);

/** Joins texts as `"a", "b"`. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(", ");

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** Names the containers of a violation: `containers "a", "b"` */
export const containersNamed = (names: readonly string[]): string =>
  `${plural("container", "containers", names.length)} ${quoted(names)}`;

/** Names what sets a field to a forbidden value: `pod and container "a"`; "" for nothing. */
export function setters(pod: boolean, containers: readonly string[]): string {
  const all = pod ? ["pod"] : [];
  if (containers.length > 0) all.push(containersNamed(containers));
  return all.join(" and ");
}

/** Each text once, in order. */
export const distinct = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted();
