import type { ServerTraits } from "../../../../api/gates/feature-gates.js";
import { qosClass } from "../../../../api/pods/qos-class.js";
import type { Container, Pod, PodSpec, PodStatus, ResourceRequirements } from "../../../../api/types/core/v1.js";
import type { Quantity } from "../../../../api/types/meta/v1.js";
import { MIRROR } from "../../../../api/validation/pod/pod-annotations.js";
import { specDifference } from "../../../../api/validation/pod/pod-difference.js";
import { quantity } from "../../../../api/validation/resources.js";
import { sameValue } from "../../../../api/validation/rules.js";
import { append } from "../../../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue } from "../../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  type DraftObject,
  ensureChild,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import { compareQuantities } from "../../../../machinery/text/quantity/quantity.js";
import type { SubresourceStrategy } from "../../../registry/strategy.js";
import { changedPodProblems, restore } from "./pod-subresources.js";

/** Changes the resources of a pod and its containers, without restarting them where their policy allows that. */
export const resize: SubresourceStrategy<ReceivedObject<Pod>, DraftObject<Pod>> = {
  prepare(draft, old) {
    const wanted = object(draft.spec);
    const before = object(old.spec);
    // What was added or taken away is there to be refused.
    if (LISTS.some((field) => objects(wanted[field]).length !== objects(before[field]).length)) return;
    restore(draft, old);
    const spec = ensureChild(draft, "spec");
    if (absent(wanted.resources)) delete spec.resources;
    else spec.resources = wanted.resources;
    for (const field of LISTS) if (!absent(wanted[field])) spec[field] = resized(wanted[field], before[field]);
  },
  validate(pod, old, context) {
    const refuse = (detail: string) => [forbiddenField("", detail)];
    if (old.metadata?.annotations?.[MIRROR] !== undefined) return refuse("static pods cannot be resized");
    if (object(object(old.spec).os).name === "windows") return refuse("windows pods cannot be resized");
    return [...changedPodProblems(pod, old, context), ...resizeProblems(pod, old, context)];
  },
};

const LISTS = ["containers", "initContainers"] as const;

type Containers = Received<Container[]> | null | undefined;

/** The old containers with the new ones' resources; the new ones where they are others, or in another order. */
function resized(wanted: Containers, before: Containers): readonly Received<Container>[] {
  const [now, old] = [objects(wanted), objects(before)];
  if (now.some(({ name }, index) => name !== old[index]?.name)) return now;
  return now.map(({ resources, resizePolicy }, index) => {
    const { resources: _, resizePolicy: __, ...rest } = old[index] ?? {};
    return {
      ...rest,
      ...(!absent(resources) && ({ resources } satisfies FieldsOf<Container>)),
      ...(!absent(resizePolicy) && ({ resizePolicy } satisfies FieldsOf<Container>)),
    };
  });
}

function resizeProblems(pod: ReceivedObject<Pod>, old: ReceivedObject<Pod>, { release }: ServerTraits): FieldError[] {
  const errors: FieldError[] = [];
  const [spec, before] = [object(pod.spec), object(old.spec)];
  const qos = qosClass(spec, release);
  if (qos !== (text(object(old.status).qosClass) || qosClass(before, release))) {
    const shown = text(object(pod.status).qosClass);
    errors.push(invalidValue("spec", shown, "Pod QOS Class may not change as a result of resizing"));
  }
  if (!canResize(object(old.status))) {
    errors.push(forbiddenField("spec", "Pod running on node without support for resize"));
  }
  append(errors, podLevelProblems(spec, before));
  const order = orderProblems(spec, before);
  if (order.length > 0) return [...errors, ...order];
  append(errors, removals(spec, before), fixedResources(spec, before));
  if (errors.length > 0) return errors;
  const fixed = withOldAmounts(spec, before);
  if (sameValue(fixed, before)) return [];
  return [forbiddenField("spec", `only cpu and memory resources are mutable\n${specDifference(before, fixed)}`)];
}

/** A kubelet that can resize says what its running containers have. */
function canResize(status: Received<PodStatus>): boolean {
  const running = objects(status.containerStatuses).find(({ state }) => !absent(object(state).running));
  return running === undefined || !absent(running.resources);
}

function podLevelProblems(spec: Received<PodSpec>, before: Received<PodSpec>): FieldError[] {
  if (absent(spec.resources) && absent(before.resources)) return [];
  const errors = removed(spec.resources, before.resources, "spec.resources");
  if (sameValue(withOldCompute(spec.resources, before.resources), before.resources)) return errors;
  return [...errors, forbiddenField("spec", "only cpu and memory resources are mutable at pod-level")];
}

function orderProblems(spec: Received<PodSpec>, before: Received<PodSpec>): FieldError[] {
  return LISTS.flatMap((field) => {
    const [now, old] = [objects(spec[field]), objects(before[field])];
    if (now.length !== old.length) {
      return [forbiddenField(`spec.${field}`, `${field} may not be added or removed on resize`)];
    }
    const detail = `${field} may not be renamed or reordered on resize`;
    return old.flatMap(({ name }, index) =>
      name === now[index]?.name ? [] : [forbiddenField(`spec.${field}[${index}].name`, detail)],
    );
  });
}

/** Init containers before the others. */
function removals(spec: Received<PodSpec>, before: Received<PodSpec>): FieldError[] {
  return (["initContainers", "containers"] as const).flatMap((field) =>
    objects(before[field]).flatMap((container, index) => {
      const at = `spec.${field}[${index}].resources`;
      return removed(objects(spec[field])[index]?.resources, container.resources, at);
    }),
  );
}

const isSidecar = ({ restartPolicy }: Received<Container>): boolean => restartPolicy === "Always";

type Resources = Received<ResourceRequirements> | null | undefined;

function removed(now: Resources, before: Resources, path: string): FieldError[] {
  return (["requests", "limits"] as const).flatMap((kind) => {
    const left = object(object(now)[kind]);
    const gone = Object.keys(object(object(before)[kind])).some((name) => !Object.hasOwn(left, name));
    return gone ? [forbiddenField(`${path}.${kind}`, `resource ${kind} cannot be removed`)] : [];
  });
}

/** What of a container's resources a resize leaves alone. */
function fixedResources(spec: Received<PodSpec>, before: Received<PodSpec>): FieldError[] {
  const fixed = withOldAmounts(spec, before);
  const changed = (field: "containers" | "initContainers", index: number) => {
    const [now, old] = [objects(fixed[field])[index], objects(before[field])[index]];
    return !sameValue(object(now).resources, object(old).resources);
  };
  const errors: FieldError[] = [];
  for (const index of objects(before.containers).keys()) {
    if (changed("containers", index)) {
      errors.push(forbiddenField("spec", "only cpu and memory resources are mutable"));
    }
  }
  for (const [index, container] of objects(before.initContainers).entries()) {
    if (!changed("initContainers", index)) continue;
    const of = isSidecar(container) ? " for sidecar containers" : "";
    errors.push(forbiddenField("spec", `only cpu and memory resources${of} are mutable`));
  }
  return errors;
}

/** The new spec with all that a resize may change as it was. */
function withOldAmounts(spec: Received<PodSpec>, before: Received<PodSpec>): Received<PodSpec> {
  const restored = (field: "containers" | "initContainers") =>
    objects(spec[field]).map((container, index) => {
      const old = objects(before[field])[index] ?? {};
      const { resizePolicy } = old;
      return {
        ...container,
        resizePolicy,
        resources: withOldCompute(container.resources, old.resources),
      } satisfies FieldsOf<Container>;
    });
  const resources = withOldCompute(spec.resources, before.resources);
  return { ...spec, resources, containers: restored("containers"), initContainers: restored("initContainers") };
}

/** Resources with the old CPU and memory; other amounts that are the same, as they were written. */
function withOldCompute(now: Resources, before: Resources): Received<ResourceRequirements> {
  const kinds = (["requests", "limits"] as const).map((kind) => {
    const [amounts, old] = [object(object(now)[kind]), object(object(before)[kind])];
    const names = new Set([...Object.keys(amounts), ...Object.keys(old)]);
    const entries = [...names].map((name) => {
      const kept = name === "cpu" || name === "memory" || sameAmount(amounts[name], old[name]);
      return [name, kept ? old[name] : amounts[name]] as const;
    });
    return [kind, Object.fromEntries(entries.filter(([, amount]) => amount !== undefined))] as const;
  });
  return { ...object(now), ...Object.fromEntries(kinds) };
}

type Amount = Quantity | null | undefined;

function sameAmount(one: Amount, other: Amount): boolean {
  const [a, b] = [quantity(one), quantity(other)];
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}
