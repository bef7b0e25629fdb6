import { append } from "../../../base/collections/append.js";
import { goQuote } from "../../../base/text/go-quote.js";
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
  regexError,
} from "../../../machinery/validation/names.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type {
  Job,
  JobSpec,
  JobStatus,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "../../types/batch/v1.js";
import type { Container, Affinity, PodSpec, PodTemplateSpec } from "../../types/core/v1.js";
import { check, checkNonNegative, checkOneOf, type Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { countIndexes } from "./index-intervals.js";
import { hasInvalidValue, checkSelector } from "../label-selector.js";
import { newTemplate, optionsOfChange, type PodValidationOptions } from "../pod/pod-options.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { jobSchedulingRules } from "./job-scheduling.js";
import { validatePodTemplate } from "../pod/pod-spec.js";
import { IMMUTABLE, immutable, sameValue } from "../rules.js";
import { checkSelects, parsedSelector, sorted } from "../selected-template.js";

const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
const JOB_NAME = "batch.kubernetes.io/job-name";

export function validateJob(job: ReceivedObject<Job>, server: ServerTraits): FieldError[] {
  return [
    ...jobErrors(job, newTemplate(server), true),
    ...validateDeclared(jobSchedulingRules, job.spec, undefined, "spec", { ...server, isUpdate: false }),
  ];
}

export function validateJobUpdate(
  job: ReceivedObject<Job>,
  old: ReceivedObject<Job>,
  server: ServerTraits,
): FieldError[] {
  const [spec, before] = [object(job.spec), object(old.spec)];
  const template = object(before.template);
  const labels = object(object(template.metadata).labels);
  const options = optionsOfChange(template, false, server);
  const relaxed = {
    ...options,
    allowInvalidSelectorValue: options.allowInvalidSelectorValue || hasInvalidValue(before.selector),
  };
  const prefixed = !absent(labels[JOB_NAME]) && !absent(labels[CONTROLLER_UID]);
  const errors = jobErrors(job, relaxed, prefixed);
  checkWholeSpec(spec, "spec", relaxed, errors);
  checkCompletionsChange(spec, before, errors);
  append(errors, immutable(spec.selector, before.selector, "spec.selector"));
  checkTemplateChange(spec, old, errors);
  for (const [field, type] of FIXED) {
    if (sameValue(spec[field], before[field])) continue;
    const value = spec[field];
    const isStruct = type !== undefined && typeof value === "object" && value !== null;
    const shown = isStruct ? goJson(type, object(value)) : (value ?? null);
    errors.push(invalidValue(`spec.${field}`, shown, IMMUTABLE));
  }
  append(errors, validateDeclared(jobSchedulingRules, job.spec, old.spec, "spec", { ...server, isUpdate: true }));
  return errors;
}

const FIXED: readonly (readonly [field: keyof JobSpec, type?: string])[] = [
  ["completionMode"],
  ["podFailurePolicy", "PodFailurePolicy"],
  ["backoffLimitPerIndex"],
  ["managedBy"],
  ["successPolicy", "SuccessPolicy"],
];

function jobErrors(job: ReceivedObject<Job>, options: PodValidationOptions, prefixed: boolean): FieldError[] {
  const errors: Errors = [];
  const spec = object(job.spec);
  if (spec.manualSelector !== true && !absent(spec.selector)) checkGeneratedSelector(job, prefixed, errors);
  checkWholeSpec(spec, "spec", options, errors);
  const completions = number(spec.completions);
  if (spec.completionMode === "Indexed" && completions > 0) {
    const name = job.metadata?.name ?? "";
    const host = `${name}-${completions - 1}`;
    if (dns1123LabelErrors(host).length > 0) {
      const detail = `will not able to create pod with invalid DNS label: ${host}`;
      errors.push(invalidValue("metadata.name", name, detail));
    }
  }
  return errors;
}

/** A selector that the server made picks the job's own pods; its labels have an old and a new name each. */
function checkGeneratedSelector(job: ReceivedObject<Job>, prefixed: boolean, errors: Errors): void {
  const spec = object(job.spec);
  const { name = "", uid = "" } = job.metadata ?? {};
  if (uid === "") errors.push(required("metadata.uid"));
  const labels = object(object(object(spec.template).metadata).labels);
  const expected: Record<string, string> = { "controller-uid": uid, "job-name": name };
  if (prefixed) Object.assign(expected, { [CONTROLLER_UID]: uid, [JOB_NAME]: name });
  for (const [label, value] of Object.entries(expected)) {
    const path = `spec.template.metadata.labels[${label}]`;
    if (absent(labels[label])) errors.push(required(path, `must be '${value}'`));
    else if (labels[label] !== value) errors.push(invalidValue(path, sorted(labels), `must be '${value}'`));
  }
  const selector = parsedSelector(spec.selector);
  if (selector !== undefined && !selector.matches(expected)) {
    errors.push(invalidValue("spec.selector", spec.selector, "`selector` not auto-generated"));
  }
}

function checkWholeSpec(spec: Received<JobSpec>, path: string, options: PodValidationOptions, errors: Errors): void {
  checkJobSpec(spec, path, options, errors);
  if (absent(spec.selector)) errors.push(required(`${path}.selector`));
  checkSelector(spec.selector, `${path}.selector`, options.allowInvalidSelectorValue, errors);
  const selector = parsedSelector(spec.selector);
  if (selector !== undefined) checkSelects(selector, object(spec.template), `${path}.template`, errors);
}

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Validates a job's spec, or that of a cron job's template, which has no selector yet. */
export function checkJobSpec(
  spec: Received<JobSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  for (const field of COUNTS) checkNonNegative(spec[field], `${path}.${field}`, errors);
  if (!absent(spec.maxFailedIndexes) && absent(spec.backoffLimitPerIndex)) {
    errors.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (!absent(spec.managedBy)) checkManager(text(spec.managedBy), `${path}.managedBy`, errors);
  checkOneOf(spec.completionMode, `${path}.completionMode`, ["NonIndexed", "Indexed"], errors);
  if (spec.completionMode === "Indexed") checkIndexed(spec, path, errors);
  if (absent(spec.completionMode) || spec.completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (absent(spec[field])) continue;
      errors.push(invalidValue(`${path}.${field}`, spec[field], "requires indexed completion mode"));
    }
  }
  if (!absent(spec.podFailurePolicy)) checkFailurePolicy(spec, `${path}.podFailurePolicy`, errors);
  if (!absent(spec.successPolicy)) checkSuccessPolicy(spec, `${path}.successPolicy`, errors);
  const replacements = absent(spec.podFailurePolicy) ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  checkOneOf(spec.podReplacementPolicy, `${path}.podReplacementPolicy`, replacements, errors);
  const template = object(spec.template);
  append(errors, validatePodTemplate(template, `${path}.template`, options));
  checkRestartPolicy(spec, `${path}.template.spec.restartPolicy`, errors);
}

function checkRestartPolicy(spec: Received<JobSpec>, path: string, errors: Errors): void {
  const policy = text(object(object(spec.template).spec).restartPolicy);
  if (policy === "Always" || policy === "") errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== "OnFailure" && policy !== "Never") {
    errors.push(notSupported(path, policy, ["OnFailure", "Never"]));
  } else if (!absent(spec.podFailurePolicy) && policy !== "Never") {
    errors.push(invalidValue(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

const PATH_CHARACTERS = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathCharacters = new RegExp(`^${PATH_CHARACTERS}$`);

/** The controller that manages the job: a domain and a path. */
function checkManager(name: string, path: string, errors: Errors): void {
  const slash = name.indexOf("/");
  if (name === "") errors.push(required(path));
  else if (slash < 1 || slash === name.length - 1) {
    errors.push(invalidValue(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  } else {
    check(name.slice(0, slash), path, dns1123SubdomainErrors, errors);
    const rest = name.slice(slash + 1);
    if (!pathCharacters.test(rest)) errors.push(invalidValue(path, rest, regexError("Invalid path", PATH_CHARACTERS)));
  }
  if (Buffer.byteLength(name) > 63) errors.push(tooLong(path, 63));
}

const MANY = 100_000;
const SOME = 10_000;

function checkIndexed(spec: Received<JobSpec>, path: string, errors: Errors): void {
  const { completions, parallelism, maxFailedIndexes: failed } = spec;
  const atMost = (field: keyof JobSpec, most: string) =>
    errors.push(invalidValue(`${path}.${field}`, spec[field], `must be less than or equal to ${most}`));
  if (absent(completions)) errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
  if (number(parallelism) > MANY) atMost("parallelism", `${MANY} when completion mode is Indexed`);
  if (!absent(completions) && number(failed) > number(completions)) atMost("maxFailedIndexes", "completions");
  if (number(failed) > MANY) atMost("maxFailedIndexes", String(MANY));
  if (number(completions) <= MANY || absent(spec.backoffLimitPerIndex)) return;
  const detail = `${SOME} when completions are above ${MANY} and used with backoff limit per index`;
  if (absent(failed)) {
    errors.push(required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MANY}`));
  }
  if (number(parallelism) > SOME) atMost("parallelism", detail);
  if (number(failed) > SOME) atMost("maxFailedIndexes", detail);
}

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];
const shownList = (values: readonly string[]) => `valid values: [${values.map(goQuote).join(" ")}]`;

function checkFailurePolicy(spec: Received<JobSpec>, path: string, errors: Errors): void {
  const rules = objects(object(spec.podFailurePolicy).rules);
  if (rules.length > 20) errors.push(tooMany(`${path}.rules`, rules.length, 20));
  const pod = object(object(spec.template).spec);
  const names = new Set([...objects(pod.containers), ...objects(pod.initContainers)].map(({ name }) => name));
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.rules[${index}]`;
    checkAction(rule, spec, `${at}.action`, errors);
    const conditions = objects(rule.onPodConditions);
    if (!absent(rule.onExitCodes)) checkExitCodes(object(rule.onExitCodes), names, `${at}.onExitCodes`, errors);
    checkConditions(conditions, `${at}.onPodConditions`, errors);
    if (absent(rule.onExitCodes) === conditions.length > 0) continue;
    const detail =
      conditions.length > 0
        ? "specifying both OnExitCodes and OnPodConditions is not supported"
        : "specifying one of OnExitCodes and OnPodConditions is required";
    errors.push(invalidValue(at, undefined, detail));
  }
}

function checkAction(
  rule: Received<PodFailurePolicyRule>,
  spec: Received<JobSpec>,
  path: string,
  errors: Errors,
): void {
  const action = text(rule.action);
  if (action === "") errors.push(required(path, shownList(ACTIONS)));
  else if (!ACTIONS.includes(action)) errors.push(notSupported(path, action, ACTIONS));
  else if (action === "FailIndex" && absent(spec.backoffLimitPerIndex)) {
    errors.push(invalidValue(path, action, "requires the backoffLimitPerIndex to be set"));
  }
}

function checkConditions(
  conditions: readonly Received<PodFailurePolicyOnPodConditionsPattern>[],
  path: string,
  errors: Errors,
): void {
  if (conditions.length > 20) errors.push(tooMany(path, conditions.length, 20));
  for (const [index, { type, status }] of conditions.entries()) {
    const at = `${path}[${index}]`;
    check(text(type), `${at}.type`, qualifiedNameErrors, errors);
    const known = ["False", "True", "Unknown"];
    if (text(status) === "") errors.push(required(`${at}.status`, shownList(known)));
    else checkOneOf(status, `${at}.status`, known, errors);
  }
}

function checkExitCodes(
  codes: Received<PodFailurePolicyOnExitCodesRequirement>,
  containers: ReadonlySet<unknown>,
  path: string,
  errors: Errors,
): void {
  const operators = ["In", "NotIn"];
  if (text(codes.operator) === "") errors.push(required(`${path}.operator`, shownList(operators)));
  else checkOneOf(codes.operator, `${path}.operator`, operators, errors);
  if (!absent(codes.containerName) && !containers.has(codes.containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalidValue(`${path}.containerName`, codes.containerName, detail));
  }
  const values = list(codes.values).map(number);
  const shown = absent(codes.values) ? null : values;
  if (values.length === 0) errors.push(invalidValue(`${path}.values`, shown, "at least one value is required"));
  else if (values.length > 255) errors.push(tooMany(`${path}.values`, values.length, 255));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    const at = `${path}.values[${index}]`;
    if (codes.operator === "In" && value === 0) {
      errors.push(invalidValue(at, value, "must not be 0 for the In operator"));
    }
    if (seen.has(value)) errors.push(duplicate(at, value));
    seen.add(value);
  }
  if (values.some((value, index) => value < (values[index - 1] ?? value))) {
    errors.push(invalidValue(`${path}.values`, shown, "must be ordered"));
  }
}

function checkSuccessPolicy(spec: Received<JobSpec>, path: string, errors: Errors): void {
  if (spec.completionMode !== "Indexed") {
    const shown = goJson("SuccessPolicy", object(spec.successPolicy));
    errors.push(invalidValue(path, shown, "requires indexed completion mode"));
    return;
  }
  const rules = objects(object(spec.successPolicy).rules);
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(`${path}.rules`, detail));
  }
  if (rules.length > 20) errors.push(tooMany(`${path}.rules`, rules.length, 20));
  const completions = number(spec.completions);
  for (const [index, rule] of rules.entries()) checkSuccessRule(rule, completions, `${path}.rules[${index}]`, errors);
}

const MAX_INDEXES_BYTES = 64 * 1024;

function checkSuccessRule(rule: Received<SuccessPolicyRule>, completions: number, path: string, errors: Errors): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (absent(count) && absent(indexes)) {
    errors.push(required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let total = 0;
  if (!absent(indexes)) {
    const at = `${path}.succeededIndexes`;
    if (Buffer.byteLength(text(indexes)) > MAX_INDEXES_BYTES) errors.push(tooLong(at, MAX_INDEXES_BYTES));
    const parsed = countIndexes(text(indexes), completions);
    if (typeof parsed === "number") total = parsed;
    else errors.push(invalidValue(at, indexes, `error parsing succeededIndexes: ${parsed}`));
  }
  if (absent(count)) return;
  const at = `${path}.succeededCount`;
  checkNonNegative(count, at, errors);
  const atMost = (most: number, what: string) =>
    errors.push(invalidValue(at, count, `must be less than or equal to ${most} (the number of ${what})`));
  if (number(count) > completions) atMost(completions, "specified completions");
  if (!absent(indexes) && number(count) > total) atMost(total, "indexes in the specified succeededIndexes field");
}

function checkCompletionsChange(spec: Received<JobSpec>, old: Received<JobSpec>, errors: Errors): void {
  const { completions } = spec;
  if (spec.completionMode !== "Indexed") append(errors, immutable(completions, old.completions, "spec.completions"));
  else if (!sameValue(completions, old.completions) && !absent(completions)) {
    if (number(completions) === number(spec.parallelism)) return;
    const detail = "can only be modified in tandem with spec.parallelism";
    errors.push(invalidValue("spec.completions", completions, detail));
  }
}

/** While a job is suspended and nothing of it runs, where its pods go and what they ask for may change. */
function checkTemplateChange(spec: Received<JobSpec>, old: ReceivedObject<Job>, errors: Errors): void {
  const before = object(old.spec);
  const template = object(spec.template);
  let oldTemplate = object(before.template);
  const quiet = before.suspend === true && isAtRest(object(old.status));
  if (quiet) oldTemplate = withScheduling(oldTemplate, template);
  if (!quiet) {
    if (sameValue(template, oldTemplate)) return;
    errors.push(invalidValue("spec.template", goJson("PodTemplateSpec", template), IMMUTABLE));
    return;
  }
  const [pod, oldPod] = [object(template.spec), withResources(object(oldTemplate.spec), object(template.spec))];
  if (!sameValue(pod, oldPod)) errors.push(invalidValue("spec.template.spec", goJson("PodSpec", pod), IMMUTABLE));
}

/** Never started, or suspended since, with its pods gone or on their way. */
function isAtRest(status: Received<JobStatus>): boolean {
  if (absent(status.startTime)) return true;
  const suspended = objects(status.conditions).some(
    ({ type, status: value }) => type === "Suspended" && value === "True",
  );
  return suspended && number(status.active) === 0;
}

function withScheduling(
  old: Received<PodTemplateSpec>,
  template: Received<PodTemplateSpec>,
): Received<PodTemplateSpec> {
  const [spec, before] = [object(template.spec), object(old.spec)];
  const { labels, annotations } = object(template.metadata);
  const affinity = {
    ...object(before.affinity),
    nodeAffinity: object(spec.affinity).nodeAffinity,
  } satisfies FieldsOf<Affinity>;
  const { nodeSelector, tolerations, schedulingGates } = spec;
  return {
    ...old,
    metadata: { ...object(old.metadata), labels, annotations },
    spec: { ...before, affinity, nodeSelector, tolerations, schedulingGates },
  };
}

function withResources(old: Received<PodSpec>, spec: Received<PodSpec>): Received<PodSpec> {
  const merged = (field: "containers" | "initContainers") => {
    const [now, before] = [objects(spec[field]), objects(old[field])];
    if (now.length !== before.length) return old[field];
    return before.map((container, index) =>
      container.name === now[index]?.name
        ? ({ ...container, resources: now[index]?.resources } satisfies FieldsOf<Container>)
        : container,
    );
  };
  return { ...old, containers: merged("containers"), initContainers: merged("initContainers") };
}
