import type { Container, EphemeralContainer, PodSpec } from "../types/core/v1.js";

/** What the pod security standards look at of a pod, or of a template of pods. */
export interface CheckedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec: PodSpec;
}

/** Why a control refuses a pod, in Kubernetes' words. */
export interface Violation {
  /** "hostPort" */
  readonly reason: string;
  /** Which containers, volumes or values it is: `container "a" uses hostPort 80`. */
  readonly detail: string;
}

/** Answers undefined for a pod that the control allows. */
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

/** Allows pods of Windows, whose validation refuses the fields that the check would ask for. */
export const exceptOfWindows =
  (check: Check): Check =>
  (pod) =>
    isOfWindows(pod) ? undefined : check(pod);

/** `"a", "b"`, as the names and values stand. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(", ");

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `containers "a", "b"` */
export const containersNamed = (names: readonly string[]): string =>
  `${plural("container", "containers", names.length)} ${quoted(names)}`;

/** `pod and container "a"`: what sets a field to a value that is not allowed; "" for nothing. */
export function setters(pod: boolean, containers: readonly string[]): string {
  const all = pod ? ["pod"] : [];
  if (containers.length > 0) all.push(containersNamed(containers));
  return all.join(" and ");
}

/** Each text once, in order. */
export const distinct = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted();
