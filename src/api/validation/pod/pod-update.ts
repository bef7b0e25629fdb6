import { type FieldError, forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSchedulingGate,
  PodSpec,
} from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { sameValue } from "../rules.js";
import { checkImageSpaces } from "./containers.js";
import { validatePodAnnotations, validatePodAnnotationsUpdate } from "./pod-annotations.js";
import { specDifference } from "./pod-difference.js";
import { optionsOfChange, type PodValidationOptions } from "./pod-options.js";
import { validateMetadataAndSpec } from "./pod.js";
import { validateAddedTolerations } from "./tolerations.js";

/** Validates an update of a pod: only images, deadline, tolerations and scheduling gates of the spec may change; more while the pod is gated. */
export function validatePodUpdate(
  pod: ReceivedObject<Pod>,
  old: ReceivedObject<Pod>,
  server: ServerTraits,
): FieldError[] {
  const errors: Errors = [];
  const options = optionsOfChange(old, true, server);
  validateMetadataAndSpec(pod, options, errors);
  checkAnnotations(pod, old, options, errors);
  const [spec, before] = [object(pod.spec), object(old.spec)];
  for (const field of ["containers", "initContainers"] as const) {
    if (!checkContainers(objects(spec[field]), objects(before[field]), `spec.${field}`, errors)) return errors;
  }
  if (!checkDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds, errors)) return errors;
  const tolerations = objects(before.tolerations);
  validateAddedTolerations(objects(spec.tolerations), tolerations, "spec.tolerations", options, errors);
  checkGates(objects(spec.schedulingGates), objects(before.schedulingGates), errors);
  if (sameValue(spec, before)) return errors;
  const fixed = withMutableFieldsOf(spec, before, errors);
  if (!sameValue(fixed, before)) errors.push(forbiddenField("spec", `${MUTABLE}\n${specDifference(before, fixed)}`));
  return errors;
}

const MUTABLE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

export function checkAnnotations(
  pod: ReceivedObject<Pod>,
  old: ReceivedObject<Pod>,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const annotations = object(pod.metadata?.annotations);
  validatePodAnnotationsUpdate(annotations, object(old.metadata?.annotations), "metadata.annotations", errors);
  validatePodAnnotations(annotations, object(pod.spec), "metadata.annotations", options, errors);
}

/** False when the rest of the spec cannot be compared. */
function checkContainers(
  containers: readonly Received<Container>[],
  old: readonly Received<Container>[],
  path: string,
  errors: Errors,
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbiddenField(path, "pod updates may not add or remove containers"));
    return false;
  }
  for (const [index, container] of containers.entries()) {
    if (text(container.image) === "") errors.push(required(`${path}[${index}].image`));
    checkImageSpaces(container, `${path}[${index}]`, errors);
  }
  return true;
}

function checkDeadline(
  value: PodSpec["activeDeadlineSeconds"] | null,
  old: PodSpec["activeDeadlineSeconds"] | null,
  errors: Errors,
): boolean {
  const path = "spec.activeDeadlineSeconds";
  if (absent(value)) {
    if (!absent(old)) {
      errors.push(invalidValue(path, null, "must not update from a positive integer to nil value"));
    }
    return true;
  }
  if (number(value) < 0 || number(value) > 2 ** 31 - 1) {
    errors.push(invalidValue(path, value, "must be between 0 and 2147483647, inclusive"));
    return false;
  }
  if (absent(old) || number(old) >= number(value)) return true;
  errors.push(invalidValue(path, value, "must be less than or equal to previous value"));
  return false;
}

function checkGates(
  gates: readonly Received<PodSchedulingGate>[],
  old: readonly Received<PodSchedulingGate>[],
  errors: Errors,
): void {
  const had = new Set(old.map(({ name }) => name));
  for (const [index, { name }] of gates.entries()) {
    if (had.has(name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${text(name)}'`;
    errors.push(forbiddenField(`spec.schedulingGates[${index}].name`, detail));
  }
}

/** The new spec with all that may change as it was. */
function withMutableFieldsOf(spec: Received<PodSpec>, old: Received<PodSpec>, errors: Errors): Received<PodSpec> {
  const images = (field: "containers" | "initContainers") =>
    objects(spec[field]).map(
      (container, index) => ({ ...container, image: objects(old[field])[index]?.image }) satisfies FieldsOf<Container>,
    );
  const period = number(old.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1;
  const fixed = {
    ...spec,
    containers: images("containers"),
    initContainers: images("initContainers"),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    ...(period && ({ terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } satisfies FieldsOf<PodSpec>)),
  } satisfies FieldsOf<PodSpec>;
  return list(old.schedulingGates).length > 0 ? narrowNodes(fixed, old, errors) : fixed;
}

/** While a pod is gated, what nodes it may run on can be narrowed. */
function narrowNodes(spec: Received<PodSpec>, old: Received<PodSpec>, errors: Errors): Received<PodSpec> {
  const [selector, before] = [object(spec.nodeSelector), object(old.nodeSelector)];
  if (!Object.entries(before).every(([key, value]) => selector[key] === value)) {
    const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    errors.push(invalidValue("spec.nodeSelector", spec.nodeSelector ?? null, detail));
  }
  const [affinity, affinityBefore] = [object(spec.affinity), object(old.affinity)];
  checkNodeAffinity(object(affinity.nodeAffinity), object(affinityBefore.nodeAffinity), errors);
  return {
    ...spec,
    nodeSelector: old.nodeSelector,
    affinity: { ...affinity, nodeAffinity: affinityBefore.nodeAffinity },
  };
}

function checkNodeAffinity(affinity: Received<NodeAffinity>, old: Received<NodeAffinity>, errors: Errors): void {
  const path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const termsOf = (of: Received<NodeAffinity>) =>
    objects(object(of.requiredDuringSchedulingIgnoredDuringExecution).nodeSelectorTerms);
  if (sameValue(affinity, old) || !isStruct(old.requiredDuringSchedulingIgnoredDuringExecution)) return;
  const [terms, before] = [termsOf(affinity), termsOf(old)];
  if (before.length > 0 && terms.length !== before.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    const shown = terms.length === 0 ? null : terms.map((term) => goJson("NodeSelectorTerm", term));
    errors.push(invalidValue(path, shown, detail));
    return;
  }
  for (const [index, term] of before.entries()) {
    const now = terms[index] ?? {};
    if (onlyAdds(now, term)) continue;
    const detail = "only additions are allowed (no mutations or deletions)";
    errors.push(invalidValue(`${path}[${index}]`, goJson("NodeSelectorTerm", now), detail));
  }
}

function onlyAdds(term: Received<NodeSelectorTerm>, old: Received<NodeSelectorTerm>): boolean {
  const fields = ["matchExpressions", "matchFields"] as const;
  // A term without requirements matches nothing, so a first requirement would widen it.
  if (fields.every((field) => list(old[field]).length === 0)) {
    return fields.every((field) => list(term[field]).length === 0);
  }
  return fields.every((field) => {
    const before = list(old[field]);
    return sameValue(list(term[field]).slice(0, before.length), before);
  });
}
