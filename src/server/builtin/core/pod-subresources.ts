import type { Errors } from "../../../api/validation/collect.js";
import { difference } from "../../../api/validation/pod-difference.js";
import { optionsOfChange } from "../../../api/validation/pod-options.js";
import { validatePodSpec } from "../../../api/validation/pod-spec.js";
import { checkAnnotations } from "../../../api/validation/pod.js";
import { type FieldError, forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { children, ensureChild, object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { copyObject } from "../../registry/copy.js";
import type { SubresourceStrategy } from "../../registry/strategy.js";
import { qosClass } from "./pod-qos.js";

const MIRROR = "kubernetes.io/config.mirror";

/** Containers for looking into a pod can be added, and stay as they are from then on. */
export const ephemeralContainers: SubresourceStrategy = {
  prepare(draft, old) {
    const added = object(draft.spec).ephemeralContainers;
    restore(draft, old);
    const spec = ensureChild(draft, "spec");
    if (added === undefined) delete spec.ephemeralContainers;
    else spec.ephemeralContainers = added;
  },
  validate(pod, old) {
    if (old.metadata?.annotations?.[MIRROR] !== undefined) {
      return [forbiddenField("", "static pods do not support ephemeral containers")];
    }
    return [...changedPodProblems(pod, old), ...changedContainers(pod, old)];
  },
};

/** A pod's containers get other resources, without being started anew where their policy allows that. */
export const resize: SubresourceStrategy = {
  prepare(draft, old) {
    const wanted = object(draft.spec);
    restore(draft, old);
    for (const field of ["initContainers", "containers"]) {
      for (const container of children(ensureChild(draft, "spec"), field)) {
        const asked = objects(wanted[field]).find(({ name }) => name === container.name);
        if (asked === undefined) continue;
        for (const changed of ["resources", "resizePolicy"]) {
          if (asked[changed] === undefined) delete container[changed];
          else container[changed] = asked[changed];
        }
      }
    }
  },
  validate(pod, old) {
    if (old.metadata?.annotations?.[MIRROR] !== undefined) return [forbiddenField("", "static pods cannot be resized")];
    return [...changedPodProblems(pod, old), ...resizeProblems(pod, old)];
  },
};

/** What must hold for a pod whatever of it changes. */
function changedPodProblems(pod: KubeObject, old: KubeObject): FieldError[] {
  const errors: Errors = [];
  const options = optionsOfChange(old, true);
  validatePodSpec(object(pod.spec), pod.metadata ?? {}, "spec", options, errors);
  checkAnnotations(pod, old, options, errors);
  return errors;
}

/** The pod as it was, but for what says which pod is meant and at which version. */
function restore(draft: KubeObject, old: KubeObject): void {
  const { name, namespace, uid, resourceVersion, managedFields } = draft.metadata ?? {};
  const before = copyObject(old);
  for (const field of Object.keys(draft)) if (field !== "metadata") delete draft[field];
  Object.assign(draft, before, {
    metadata: {
      ...before.metadata,
      name,
      namespace,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(managedFields !== undefined && { managedFields }),
    },
  });
}

function changedContainers(pod: KubeObject, old: KubeObject): FieldError[] {
  const field = "spec.ephemeralContainers";
  const now = objects(object(pod.spec).ephemeralContainers);
  return objects(object(old.spec).ephemeralContainers).flatMap((before) => {
    const name = text(before.name);
    const found = now.find((one) => one.name === name);
    if (found === undefined) {
      return [forbiddenField(field, `existing ephemeral containers "${name}" may not be removed\n`)];
    }
    if (deepEqual(found as JsonValue, before as JsonValue)) return [];
    const what = difference("EphemeralContainer", before, found);
    return [forbiddenField(field, `existing ephemeral containers "${name}" may not be changed\n${what}`)];
  });
}

const RESIZABLE: ReadonlySet<string> = new Set(["cpu", "memory"]);

function resizeProblems(pod: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const [spec, before] = [object(pod.spec), object(old.spec)];
  const qos = qosClass(spec);
  if (qos !== qosClass(before)) {
    errors.push(invalidValue("spec", qos, "Pod QOS Class may not change as a result of resizing"));
  }
  const containers = (of: KubeObject) =>
    ["initContainers", "containers"].flatMap((field) => objects(object(of.spec)[field]));
  const others = containers(pod).some((container) => {
    const was = containers(old).find(({ name }) => name === container.name);
    return !deepEqual(unresizable(container.resources), unresizable(was?.resources));
  });
  if (others) errors.push(forbiddenField("spec", "only cpu and memory resources are mutable"));
  return errors;
}

/** What of a container's resources a resize leaves alone. */
function unresizable(resources: unknown): JsonValue {
  const { requests, limits, claims = [] } = object(resources);
  const rest = (amounts: unknown) => Object.entries(object(amounts)).filter(([name]) => !RESIZABLE.has(name));
  return [rest(requests), rest(limits), claims] as JsonValue;
}
