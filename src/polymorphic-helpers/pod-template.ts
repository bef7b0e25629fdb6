import { child, type Fields } from "../machinery/meta/access.js";
import type { GroupKind } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** Where a kind has its pod spec, and what holds it; by "Kind.group", "Kind" for the core group. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  ReplicationController: ["spec", "template"],
  PodTemplate: ["template"],
  "CronJob.batch": ["spec", "jobTemplate", "spec", "template"],
  "DaemonSet.apps": ["spec", "template"],
  "DaemonSet.extensions": ["spec", "template"],
  "Deployment.apps": ["spec", "template"],
  "Deployment.extensions": ["spec", "template"],
  "Job.batch": ["spec", "template"],
  "ReplicaSet.apps": ["spec", "template"],
  "ReplicaSet.extensions": ["spec", "template"],
  "StatefulSet.apps": ["spec", "template"],
};

/**
 * Finds the pod or the pod template in an object: a part with the `metadata` and `spec` of a pod. It is part of the object, so
 * that changing it changes the object. Undefined for a kind that makes no pods, and where the object has no template.
 */
export function podTemplateOf({ group, kind }: GroupKind, object: KubeObject): Fields | undefined {
  const key = group === "" ? kind : `${kind}.${group}`;
  const path = Object.hasOwn(TEMPLATES, key) ? TEMPLATES[key] : undefined;
  let at: Fields | undefined = path && object;
  for (const name of path ?? []) at = at && child(at, name);
  return at;
}
