import type { KubeObject } from "../../../machinery/meta/object.js";
import { withChild, zeroWhereAbsent, withChildren, withoutAnnotations } from "../copies.js";
import type { Conversion } from "../../../machinery/scheme/scheme.js";
import {
  type ReadonlyFields,
  absent,
  child,
  ensureChild,
  type Fields,
  object,
  text,
} from "../../../machinery/meta/access.js";
import { INIT_CONTAINERS } from "../../defaults/old-names.js";

/** The fields of a workload that are pointers in its versions and plain numbers in the internal type. */
export interface WorkloadShape {
  /** Of the spec. */
  readonly counts: readonly string[];
  /** The field of the spec that has `rollingUpdate`. */
  readonly strategy?: string;
  /** Of `rollingUpdate`. */
  readonly rolling?: readonly string[];
}

export const DEPLOYMENT: WorkloadShape = {
  counts: ["replicas"],
  strategy: "strategy",
  rolling: ["maxUnavailable", "maxSurge"],
};
export const DAEMON_SET: WorkloadShape = {
  counts: [],
  strategy: "updateStrategy",
  rolling: ["maxUnavailable", "maxSurge"],
};
const STATEFUL_SET: WorkloadShape = {
  counts: ["replicas"],
  strategy: "updateStrategy",
  rolling: ["partition"],
};
const REPLICA_SET: WorkloadShape = { counts: ["replicas"] };

/**
 * Applies what the conversion through the internal type does to every workload: numbers that are absent become 0. Fields that
 * `shape` does not name stay absent.
 */
export function convertWorkload(workload: KubeObject, { counts, strategy, rolling = [] }: WorkloadShape): KubeObject {
  return withChild(workload, "spec", (spec) => {
    const converted = withChild(zeroWhereAbsent(spec, counts), "template", convertPodTemplate);
    if (strategy === undefined) return converted;
    return withChild(converted, strategy, (value) =>
      withChild(value, "rollingUpdate", (update) => zeroWhereAbsent(update, rolling)),
    );
  });
}

/** Converts ReplicaSets of extensions/v1beta1 and apps/v1beta2 to apps/v1. */
export const replicaSet: Conversion = { toHub: convertReplicaSet, fromHub: convertReplicaSet };

function convertReplicaSet(set: KubeObject): KubeObject {
  return convertWorkload(set, REPLICA_SET);
}

/** Converts StatefulSets of apps/v1beta2 to apps/v1, which has the same fields. */
export const statefulSet: Conversion = { toHub: convertStatefulSet, fromHub: convertStatefulSet };

/** Converts StatefulSets of apps/v1beta1, where `observedGeneration` may be absent; in the hub it is 0 then. */
export const statefulSetV1beta1: Conversion = {
  toHub: convertStatefulSet,
  fromHub: (set) =>
    withChild(convertStatefulSet(set), "status", (status) => zeroWhereAbsent(status, ["observedGeneration"])),
};

function convertStatefulSet(set: KubeObject): KubeObject {
  return withChild(convertWorkload(set, STATEFUL_SET), "spec", (spec) =>
    withChildren(spec, "volumeClaimTemplates", stampClaim),
  );
}

/** The claims say what they are, whatever they said before: see issue 87583 of kubernetes. */
function stampClaim(claim: ReadonlyFields): ReadonlyFields {
  return { ...claim, kind: "PersistentVolumeClaim", apiVersion: "v1" };
}

/** Sets the defaults of old workload versions: the selector and the labels are those of the template. */
export function defaultToTemplateLabels(workload: Fields): void {
  const spec = ensureChild(workload, "spec");
  const labels = child(child(child(spec, "template") ?? {}, "metadata") ?? {}, "labels");
  if (labels === undefined) return;
  const some = Object.keys(labels).length > 0;
  // Labels that are stated and empty make a selector all the same.
  if (absent(spec.selector)) spec.selector = some ? { matchLabels: { ...labels } } : {};
  const metadata = ensureChild(workload, "metadata");
  if (some && Object.keys(object(metadata.labels)).length === 0) metadata.labels = { ...labels };
}

/**
 * Converts a pod template as every conversion does, in either direction: its internal form has one name for the service account,
 * always a security context, and no init containers in annotations. Source: kubernetes pkg/apis/core/v1/conversion.go.
 */
export function convertPodTemplate(template: ReadonlyFields): ReadonlyFields {
  return withChild(withoutAnnotations(template as KubeObject, INIT_CONTAINERS), "spec", (spec) => {
    const { serviceAccount, ...rest } = spec;
    const account = text(spec.serviceAccountName) || text(serviceAccount);
    return {
      ...rest,
      ...(account !== "" && { serviceAccountName: account, serviceAccount: account }),
      securityContext: spec.securityContext ?? {},
    };
  });
}
