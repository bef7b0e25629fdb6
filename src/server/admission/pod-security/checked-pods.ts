import type { CheckedPod } from "../../../api/pod-security/control.js";
import type { PodSpec } from "../../../api/types/core/v1.js";
import { object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/** Where the kinds that make pods have the template of their pods, by "group/resource". */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/podtemplates": ["template"],
  "/replicationcontrollers": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/replicasets": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
  "batch/jobs": ["spec", "template"],
};

export const makesPods = (group: string, resource: string): boolean => Object.hasOwn(TEMPLATES, `${group}/${resource}`);

/** A pod, or a template of pods, as the standards look at it. */
export const checkedPod = (pod: ReadonlyFields): CheckedPod => ({
  metadata: object(pod["metadata"]),
  spec: object(pod["spec"]) as unknown as PodSpec,
});

/** The template of the pods that an object makes. */
export function templateOf(group: string, resource: string, holder: KubeObject): CheckedPod {
  let at: ReadonlyFields = holder;
  for (const field of TEMPLATES[`${group}/${resource}`] ?? []) at = object(at[field]);
  return checkedPod(at);
}

/** Whether an update of a pod can change what the standards say of it: which containers it has, and their images. */
export function isSignificantUpdate(pod: KubeObject, old: KubeObject): boolean {
  const [spec, before] = [object(pod["spec"]), object(old["spec"])];
  for (const field of ["containers", "initContainers"]) {
    const [containers, earlier] = [objects(spec[field]), objects(before[field])];
    if (containers.length !== earlier.length) return true;
    if (containers.some((container, index) => imageOf(container) !== imageOf(earlier[index]))) return true;
  }
  const earlier = objects(before["ephemeralContainers"]);
  return objects(spec["ephemeralContainers"]).some((container) => {
    const same = earlier.find(({ name }) => name === container["name"]);
    return same === undefined || imageOf(container) !== imageOf(same);
  });
}

const imageOf = (container: ReadonlyFields | undefined): string => text(container?.["image"]);
