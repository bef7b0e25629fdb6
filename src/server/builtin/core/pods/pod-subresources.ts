import type { ObjectMeta, ApiObject } from "../../../../machinery/meta/object.js";
import type { ServerTraits } from "../../../../api/gates/feature-gates.js";
import type { Pod } from "../../../../api/types/core/v1.js";
import type { Errors } from "../../../../api/validation/collect.js";
import { difference } from "../../../../api/validation/pod/pod-difference.js";
import { optionsOfChange } from "../../../../api/validation/pod/pod-options.js";
import { validatePodSpec } from "../../../../api/validation/pod/pod-spec.js";
import { checkAnnotations } from "../../../../api/validation/pod/pod-update.js";
import { type FieldError, forbiddenField } from "../../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  type DraftObject,
  ensureChild,
  object,
  objects,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import { deepEqual } from "../../../../machinery/patch/json-values.js";
import { copyObject } from "../../../registry/copy.js";
import type { SubresourceStrategy } from "../../../registry/strategy.js";

const MIRROR = "kubernetes.io/config.mirror";

/** Adds ephemeral containers to a pod; existing ones may not change. */
export const ephemeralContainers: SubresourceStrategy<ReceivedObject<Pod>, DraftObject<Pod>> = {
  prepare(draft, old) {
    const added = object(draft.spec).ephemeralContainers;
    restore(draft, old);
    const spec = ensureChild(draft, "spec");
    if (added === undefined) delete spec.ephemeralContainers;
    else spec.ephemeralContainers = added;
  },
  validate(pod, old, context) {
    if (old.metadata?.annotations?.[MIRROR] !== undefined) {
      return [forbiddenField("", "static pods do not support ephemeral containers")];
    }
    return [...changedPodProblems(pod, old, context), ...changedContainers(pod, old)];
  },
};

/** Validates a changed pod: the rules that hold whatever has changed. */
export function changedPodProblems(
  pod: ReceivedObject<Pod>,
  old: ReceivedObject<Pod>,
  server: ServerTraits,
): FieldError[] {
  const errors: Errors = [];
  const options = optionsOfChange(old, true, server);
  validatePodSpec(object(pod.spec), pod.metadata ?? {}, "spec", options, errors);
  checkAnnotations(pod, old, options, errors);
  return errors;
}

/** Restores the old pod in the draft, except for the fields that identify the object and its version. */
export function restore(draft: DraftObject<Pod>, old: ReceivedObject<Pod>): void {
  const { name, namespace, uid, resourceVersion, managedFields } = draft.metadata ?? {};
  const before = copyObject(old);
  for (const field of Object.keys(draft)) if (field !== "metadata") Reflect.deleteProperty(draft, field);
  Object.assign(draft, before, {
    metadata: {
      ...before.metadata,
      name,
      namespace,
      ...(uid !== undefined && ({ uid } satisfies FieldsOf<ObjectMeta>)),
      ...(resourceVersion !== undefined && ({ resourceVersion } satisfies FieldsOf<ObjectMeta>)),
      ...(managedFields !== undefined && ({ managedFields } satisfies FieldsOf<ObjectMeta>)),
    } satisfies FieldsOf<ObjectMeta>,
  } satisfies FieldsOf<ApiObject>);
}

function changedContainers(pod: ReceivedObject<Pod>, old: ReceivedObject<Pod>): FieldError[] {
  const field = "spec.ephemeralContainers";
  const now = objects(object(pod.spec).ephemeralContainers);
  return objects(object(old.spec).ephemeralContainers).flatMap((before) => {
    const name = text(before.name);
    const found = now.find((one) => one.name === name);
    if (found === undefined) {
      return [forbiddenField(field, `existing ephemeral containers "${name}" may not be removed\n`)];
    }
    if (deepEqual(found, before)) return [];
    const what = difference("EphemeralContainer", before, found);
    return [forbiddenField(field, `existing ephemeral containers "${name}" may not be changed\n${what}`)];
  });
}
