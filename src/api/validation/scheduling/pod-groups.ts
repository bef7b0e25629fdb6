import { type FieldError, duplicate, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, object, objects, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { ServerGates } from "../../gates/feature-gates.js";
import type { CompositePodGroup } from "../../types/scheduling/v1alpha3.js";
import type { PodGroup, Workload, WorkloadSpec } from "../../types/scheduling/v1beta1.js";
import { validateConditions } from "../conditions.js";
import type { TypeRules } from "../declarative/field-rules.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { compositePodGroupRules, podGroupRules, workloadRules } from "./scheduling-rules.js";

/** How many templates stand below each other at most, pod groups included. */
const MOST_LEVELS = 4;

interface Gated {
  readonly gates: ServerGates;
}

/** The rules of a kind for a new object, and for one that replaces `old`. */
const declared =
  <Kind extends object>(rules: TypeRules<Kind>) =>
  (object: ReceivedObject<Kind>, old: ReceivedObject<Kind> | undefined, { gates }: Gated): FieldError[] =>
    validateDeclared(rules, object, old, "", { gates, isUpdate: old !== undefined });

const declaredWorkload = declared(workloadRules);
const declaredPodGroup = declared(podGroupRules);
const declaredComposite = declared(compositePodGroupRules);

export function validateWorkload(workload: ReceivedObject<Workload>, context: Gated): FieldError[] {
  return [...templateErrors(object(workload.spec)), ...declaredWorkload(workload, undefined, context)];
}

export function validateWorkloadUpdate(
  workload: ReceivedObject<Workload>,
  old: ReceivedObject<Workload>,
  context: Gated,
): FieldError[] {
  return [...templateErrors(object(workload.spec)), ...declaredWorkload(workload, old, context)];
}

export const validatePodGroup = (group: ReceivedObject<PodGroup>, context: Gated): FieldError[] =>
  declaredPodGroup(group, undefined, context);

export const validatePodGroupUpdate = declaredPodGroup;

export function validatePodGroupStatusUpdate(
  group: ReceivedObject<PodGroup>,
  old: ReceivedObject<PodGroup>,
  context: Gated,
): FieldError[] {
  const status = object(group.status);
  const claims = new Set(objects(object(group.spec).resourceClaims).map(({ name }) => name));
  const unknown = objects(status.resourceClaimStatuses).flatMap(({ name }, index) =>
    claims.has(name)
      ? []
      : [
          invalidValue(
            `status.resourceClaimStatuses[${index}].name`,
            text(name),
            "must match the name of an entry in `spec.resourceClaims`",
          ),
        ],
  );
  const conditions = validateConditions(objects(status.conditions), "status.conditions");
  return [...conditions, ...unknown, ...declaredPodGroup(group, old, context)];
}

export const validateCompositePodGroup = (group: ReceivedObject<CompositePodGroup>, context: Gated): FieldError[] =>
  declaredComposite(group, undefined, context);

export const validateCompositePodGroupUpdate = declaredComposite;

export function validateCompositePodGroupStatusUpdate(
  group: ReceivedObject<CompositePodGroup>,
  old: ReceivedObject<CompositePodGroup>,
  context: Gated,
): FieldError[] {
  const conditions = validateConditions(objects(object(group.status).conditions), "status.conditions");
  return [...conditions, ...declaredComposite(group, old, context)];
}

/** A template of a pod group, or of a group of groups, as far as these rules look at it. */
interface Template {
  readonly name?: string | null | undefined;
  readonly priorityClassName?: string | null | undefined;
  readonly priority?: number | null | undefined;
  readonly podGroupTemplates?: readonly (Template | null)[] | null | undefined;
  readonly compositePodGroupTemplates?: readonly (Template | null)[] | null | undefined;
}

/** What holds for the tree of a workload's templates: names, depth and priority. */
function templateErrors(spec: Received<WorkloadSpec>): FieldError[] {
  const composites = objects(spec.compositePodGroupTemplates);
  const path = "spec.compositePodGroupTemplates";
  const names = new Map<string, string>();
  const named =
    objects(spec.podGroupTemplates).length > 0
      ? []
      : composites.flatMap((template, index) => nameErrors(template, `${path}[${index}]`, path, names));
  const deep = composites.flatMap((template, index) => {
    if (levelsOf(template) < MOST_LEVELS) return [];
    const detail = `maximum template hierarchy depth is ${MOST_LEVELS}`;
    return [invalidValue(`${path}[${index}]`, template.compositePodGroupTemplates ?? null, detail)];
  });
  const roots: readonly Template[] = [...objects(spec.podGroupTemplates), ...composites];
  const priorities = new Set(
    roots
      .flatMap(allTemplates)
      .map(({ priorityClassName, priority }) =>
        JSON.stringify([text(priorityClassName), absent(priority) ? null : priority]),
      ),
  );
  const mixed = priorities.size > 1 ? [invalidValue("spec", null, "detected multiple priority configurations")] : [];
  return [...named, ...deep, ...mixed];
}

/** Reports names that two templates of the whole tree share. The rule of a list reports two of one list. */
function nameErrors(template: Template, path: string, list: string, names: Map<string, string>): FieldError[] {
  const [composites, groups] = [`${path}.compositePodGroupTemplates`, `${path}.podGroupTemplates`];
  return [
    ...nameError(template, path, list, names),
    ...objects(template.compositePodGroupTemplates).flatMap((inner, index) =>
      nameErrors(inner, `${composites}[${index}]`, composites, names),
    ),
    ...objects(template.podGroupTemplates).flatMap((inner, index) =>
      nameError(inner, `${groups}[${index}]`, groups, names),
    ),
  ];
}

function nameError({ name: given }: Template, path: string, list: string, names: Map<string, string>): FieldError[] {
  const name = text(given);
  if (names.has(name) && names.get(name) !== list) return [duplicate(`${path}.name`, name)];
  names.set(name, list);
  return [];
}

const levelsOf = (template: Template): number =>
  1 + Math.max(0, ...objects(template.compositePodGroupTemplates).map(levelsOf));

function allTemplates(template: Template): readonly Template[] {
  const { compositePodGroupTemplates, podGroupTemplates } = template;
  const inner: readonly Template[] = objects(compositePodGroupTemplates);
  return [template, ...inner.flatMap(allTemplates), ...objects(podGroupTemplates)];
}
