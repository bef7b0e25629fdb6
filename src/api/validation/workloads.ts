import { type FieldError, forbiddenField, invalidValue, required } from "../../machinery/errors/field-error.js";
import { absent, isFields, number, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, selectorFromSet, SelectorError } from "../../machinery/selectors/label-selector.js";
import { type LabelSelectorObject, validateLabelSelector } from "../../machinery/validation/labels.js";
import { restartAlways, validatePodTemplate, validateTemplateMetadata } from "./pod-spec.js";
import { immutable, nonNegative, oneOf, sameValue } from "./rules.js";

/** Deployment, StatefulSet, DaemonSet, ReplicaSet. `kind` is lower case, as errors name it. */
export function validateWorkload(workload: KubeObject, kind: string): FieldError[] {
  const spec = object(workload.spec);
  return [
    ...nonNegative(spec.replicas, "spec.replicas"),
    ...nonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...nonNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...validateSelector(spec, kind),
    ...validateStrategy(spec, kind),
  ];
}

function validateSelector(spec: ReadonlyFields, kind: string): FieldError[] {
  const selector = isFields(spec.selector) ? (spec.selector as LabelSelectorObject) : undefined;
  const errors: FieldError[] = [];
  if (selector === undefined) errors.push(required("spec.selector"));
  else {
    errors.push(...validateLabelSelector(selector, "spec.selector"));
    if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
      errors.push(invalidValue("spec.selector", selector, `empty selector is invalid for ${kind}`));
    }
  }
  return [...errors, ...validateSelectedTemplate(spec, parsedSelector(selector), kind)];
}

const KIND_NAMES: Readonly<Record<string, string>> = { daemonset: "DaemonSet", statefulset: "StatefulSet" };

function validateSelectedTemplate(
  spec: ReadonlyFields,
  selector: LabelSelector | undefined,
  kind: string,
): FieldError[] {
  if (selector === undefined) return [invalidValue("spec.selector", spec.selector, "invalid label selector")];
  const template = object(spec.template);
  const podSpec = object(template.spec);
  const errors = matchesTemplate(selector, template);
  // A stateful set's volumes come from its claims too, so Kubernetes leaves its pod spec to the pods.
  errors.push(
    ...(kind === "statefulset"
      ? validateTemplateMetadata(template, "spec.template")
      : validatePodTemplate(template, "spec.template")),
    ...restartAlways(podSpec, "spec.template.spec"),
  );
  if (!absent(podSpec.activeDeadlineSeconds)) {
    const detail = `activeDeadlineSeconds in ${KIND_NAMES[kind] ?? "ReplicaSet"} is not Supported`;
    errors.push(forbiddenField("spec.template.spec.activeDeadlineSeconds", detail));
  }
  return errors;
}

function matchesTemplate(selector: LabelSelector, template: ReadonlyFields): FieldError[] {
  const labels = object(template.metadata).labels;
  if (selector.empty || selector.matches(isFields(labels) ? (labels as Record<string, string>) : {})) return [];
  return [invalidValue("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")];
}

function parsedSelector(selector: LabelSelectorObject | undefined): LabelSelector | undefined {
  try {
    return selectorFromObject(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

function validateStrategy(spec: ReadonlyFields, kind: string): FieldError[] {
  if (kind === "deployment") {
    const errors = oneOf(object(spec.strategy).type, "spec.strategy.type", ["Recreate", "RollingUpdate"]);
    if (object(spec.strategy).type === "Recreate" && !absent(object(spec.strategy).rollingUpdate)) {
      const detail = "may not be specified when strategy `type` is 'Recreate'";
      errors.push(forbiddenField("spec.strategy.rollingUpdate", detail));
    }
    const deadline = spec.progressDeadlineSeconds;
    if (!absent(deadline) && number(deadline) <= number(spec.minReadySeconds)) {
      errors.push(invalidValue("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
    }
    return errors;
  }
  if (kind === "replicaset") return [];
  const errors = oneOf(object(spec.updateStrategy).type, "spec.updateStrategy.type", ["RollingUpdate", "OnDelete"]);
  if (kind === "statefulset") {
    errors.push(...oneOf(spec.podManagementPolicy, "spec.podManagementPolicy", ["OrderedReady", "Parallel"]));
  }
  return errors;
}

/** The selector of a workload never changes. */
export function validateSelectorUpdate(workload: KubeObject, old: KubeObject): FieldError[] {
  return immutable(object(workload.spec).selector, object(old.spec).selector, "spec.selector");
}

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

export function validateStatefulSetUpdate(set: KubeObject, old: KubeObject): FieldError[] {
  const kept = (spec: ReadonlyFields) =>
    Object.fromEntries(Object.entries(spec).filter(([field]) => !STATEFUL_SET_MUTABLE.includes(field)));
  if (sameValue(kept(object(set.spec)), kept(object(old.spec)))) return [];
  const names = STATEFUL_SET_MUTABLE.map((field) => `'${field}'`);
  const fields = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return [forbiddenField("spec", `updates to statefulset spec for fields other than ${fields} are forbidden`)];
}

export function validateReplicationController(controller: KubeObject): FieldError[] {
  const spec = object(controller.spec);
  const selector = object(spec.selector) as Record<string, string>;
  const errors = [...nonNegative(spec.minReadySeconds, "spec.minReadySeconds")];
  if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
  errors.push(...nonNegative(spec.replicas, "spec.replicas"));
  if (!isFields(spec.template)) return [...errors, required("spec.template")];
  return [
    ...errors,
    ...matchesTemplate(selectorFromSet(selector), spec.template),
    ...validatePodTemplate(spec.template, "spec.template"),
    ...restartAlways(object(spec.template.spec), "spec.template.spec"),
  ];
}

/** `path` is that of the job's spec. */
export function validateJobSpec(spec: ReadonlyFields, path: string): FieldError[] {
  const errors = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
  ].flatMap((field) => nonNegative(spec[field], `${path}.${field}`));
  errors.push(...oneOf(spec.completionMode, `${path}.completionMode`, ["NonIndexed", "Indexed"]));
  const template = object(spec.template);
  errors.push(...validatePodTemplate(template, `${path}.template`));
  const policy = object(template.spec).restartPolicy;
  if (policy === "Always" || absent(policy)) {
    errors.push(required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  }
  return errors;
}

export function validateJobUpdate(job: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [object(job.spec), object(old.spec)];
  const fields = ["completions", "selector", "template", "completionMode", "podFailurePolicy", "backoffLimitPerIndex"];
  const mutableCompletions = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  return fields
    .filter((field) => field !== "completions" || !mutableCompletions)
    .flatMap((field) => immutable(spec[field], before[field], `spec.${field}`));
}

export function validateCronJob(cronJob: KubeObject): FieldError[] {
  const spec = object(cronJob.spec);
  const schedule = text(spec.schedule);
  const errors = schedule === "" ? [required("spec.schedule")] : validateSchedule(schedule);
  errors.push(
    ...nonNegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...oneOf(spec.concurrencyPolicy, "spec.concurrencyPolicy", ["Allow", "Forbid", "Replace"]),
    ...nonNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit"),
    ...nonNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit"),
    ...validateJobSpec(object(object(spec.jobTemplate).spec), "spec.jobTemplate.spec"),
  );
  const name = cronJob.metadata?.name ?? "";
  if (name.length > 52) errors.push(invalidValue("metadata.name", name, "must be no more than 52 characters"));
  return errors;
}

const DESCRIPTORS = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every .+)$/;

function validateSchedule(schedule: string): FieldError[] {
  if (/^(TZ|CRON_TZ)=/.test(schedule)) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [invalidValue("spec.schedule", schedule, detail)];
  }
  if (schedule.startsWith("@")) {
    if (DESCRIPTORS.test(schedule)) return [];
    return [invalidValue("spec.schedule", schedule, `unrecognized descriptor: ${schedule}`)];
  }
  const fields = schedule.trim().split(/\s+/);
  if (fields.length === 5) return [];
  const detail = `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  return [invalidValue("spec.schedule", schedule, detail)];
}
