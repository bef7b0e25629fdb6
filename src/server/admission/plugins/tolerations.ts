import type { Toleration, Pod } from "../../../api/types/core/v1.js";
import { sameValue } from "../../../api/validation/rules.js";
import {
  type FieldsOf,
  type DraftObject,
  ensureChild,
  objects,
  text,
  children,
  type Draft,
  object,
} from "../../../machinery/meta/received.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";
import { isExtendedResource } from "../../../api/validation/resources.js";

/** Whether one of the whitelist's tolerations covers each toleration. An empty whitelist allows all. */
export function isWhitelisted(tolerations: readonly Toleration[], whitelist: readonly Toleration[]): boolean {
  return whitelist.length === 0 || tolerations.every((one) => whitelist.some((allowed) => covers(allowed, one)));
}

/** Merges two lists in order, without tolerations that another one covers; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isRedundant =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(index + 1).some((other) => !sameValue(toleration, other) && covers(other, toleration));
    if (!isRedundant) merged.push(toleration);
  }
  return merged;
}

/**
 * Whether `wide` tolerates all that `narrow` does. As in kube-apiserver, a toleration without an operator is covered only by an equal
 * one, and by one that tolerates every value.
 */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (sameValue(wide, narrow)) return true;
  const { key = "", operator = "", effect = "", value = "", tolerationSeconds } = wide;
  if ((narrow.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && tolerationSeconds != null) {
    if (narrow.tolerationSeconds == null || narrow.tolerationSeconds > tolerationSeconds) return false;
  }
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && narrow.operator === "Equal" && (narrow.value ?? "") === value;
}

/** For how long pods tolerate nodes that are not ready or not reachable, in whole seconds: kube-apiserver's flags have the same names. */
export interface DefaultTolerationSecondsConfiguration {
  readonly defaultNotReadyTolerationSeconds?: number;
  readonly defaultUnreachableTolerationSeconds?: number;
}

/**
 * Adds to created and updated pods the tolerations with which they stay for five minutes, or the configured time, on a node that
 * is not ready or not reachable, unless they have tolerations for that.
 */
export function defaultTolerationSeconds(configuration: DefaultTolerationSecondsConfiguration = {}): AdmissionPlugin {
  const { defaultNotReadyTolerationSeconds = 300, defaultUnreachableTolerationSeconds = 300 } = configuration;
  const taints = [
    {
      key: "node.kubernetes.io/not-ready",
      tolerationSeconds: defaultNotReadyTolerationSeconds,
    } satisfies FieldsOf<Toleration>,
    {
      key: "node.kubernetes.io/unreachable",
      tolerationSeconds: defaultUnreachableTolerationSeconds,
    } satisfies FieldsOf<Toleration>,
  ];
  return {
    name: "DefaultTolerationSeconds",
    handles: handling(WRITES, "pods"),
    admit(attributes) {
      const pod: DraftObject<Pod> | undefined = attributes.object;
      if (pod === undefined) return;
      const spec = ensureChild(pod, "spec");
      const tolerations = objects(spec.tolerations);
      const missing = taints.filter(
        ({ key }) =>
          !tolerations.some(
            (toleration) =>
              (toleration.key === key || text(toleration.key) === "") &&
              (toleration.effect === "NoExecute" || text(toleration.effect) === ""),
          ),
      );
      if (missing.length === 0) return;
      const added = missing.map(
        ({ key, tolerationSeconds }) =>
          ({
            key,
            operator: "Exists" as const,
            effect: "NoExecute" as const,
            tolerationSeconds,
          }) satisfies FieldsOf<Toleration>,
      );
      spec.tolerations = [...tolerations, ...added];
    },
  };
}

const [OPERATOR, EFFECT] = ["Exists", "NoSchedule"] as const;

/** Adds to a pod that requests an extended resource the toleration of the taint of that name, by which nodes with devices keep other pods away. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: "ExtendedResourceToleration",
  handles: handling(WRITES, "pods"),
  admit(attributes) {
    const pod: DraftObject<Pod> | undefined = attributes.object;
    const spec = object(pod?.spec);
    const containers = [...objects(spec.containers), ...objects(spec.initContainers)];
    const requested = containers.flatMap(({ resources }) => Object.keys(object(object(resources).requests)));
    const extended = [...new Set(requested.filter(isExtendedResource))].toSorted();
    if (pod === undefined || extended.length === 0) return;
    const draft = ensureChild(pod, "spec");
    for (const key of extended) draft.tolerations = tolerating(children(draft, "tolerations"), key);
  },
};

/** A toleration of the same taint is replaced; one that is the same already stays where it is. */
function tolerating(tolerations: readonly Draft<Toleration>[], key: string): Draft<Toleration>[] {
  const added = { key, operator: OPERATOR, effect: EFFECT } satisfies FieldsOf<Toleration>;
  const isSame = (toleration: Draft<Toleration>): boolean =>
    toleration.key === key &&
    toleration.effect === EFFECT &&
    toleration.operator === OPERATOR &&
    text(toleration.value) === "";
  if (!tolerations.some(isSame)) return [...tolerations, added];
  return tolerations.map((toleration) => (isSame(toleration) ? added : toleration));
}
