import { dictionary } from "../../../base/collections/dictionary.js";
import { append } from "../../../base/collections/append.js";
import { errorMessage } from "../../../base/text/error-message.js";
import {
  RUNTIME_COST_BUDGET,
  RUNTIME_COST_BUDGET_MATCH_CONDITIONS,
} from "../../../machinery/cel/kubernetes/cost-limits.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { StatusError } from "../../../machinery/errors/status-error.js";
import { type AdmissionAttributes, annotate, refused } from "../attributes.js";
import { type EvaluatedObjects, evaluatedObjects } from "../expressions/evaluated-request.js";
import { OutOfBudget } from "../expressions/evaluation-run.js";
import { evaluateMatchConditions } from "../expressions/match-conditions.js";
import type { AdmissionContext } from "../plugin.js";
import {
  AnnotationValues,
  evaluateAnnotations,
  evaluateValidations,
  type Refusal,
  type ValidationTimes,
} from "./evaluate-validations.js";
import type { MeasuredPolicyCheck } from "../../metrics/measures.js";
import type { Binding, Policy } from "./policy.js";
import type { BoundPolicy } from "./configured-policies.js";
import { type Invocation, invocationsOf, type Misconfiguration, misconfiguration } from "./invocations.js";
import { type PolicyInput, PolicyRequest } from "./policy-request.js";
import { validatingPolicies } from "./compiled-policies.js";

/** The key of the annotation about validations that failed, where a binding wants one. */
const VALIDATION_FAILURE = "validation.policy.admission.k8s.io/validation_failure";
/** How many of them it has at most. */
const MAX_FAILURES = 50;

/** A refusal of the request by a policy. Without a binding: the policy cannot be asked at all. */
type Denial = Misconfiguration & Pick<Refusal, "reason">;

/** Evaluates all policies that match the request, and then rejects with the first denial, if any. */
export async function validateByPolicies(
  bound: readonly BoundPolicy[],
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): Promise<void> {
  const request = new PolicyRequest(attributes, context);
  const findings: Findings = { denials: [], failures: [] };
  for (const one of bound) await askPolicy(one, request, context, findings);
  publishFailures(findings.failures, attributes, context);
  const [denial] = findings.denials;
  if (denial !== undefined) throw refusal(attributes, denial);
}

/** What policies found about a request. */
interface Findings {
  readonly denials: Denial[];
  /** What the audit log should tell, as JSON. */
  readonly failures: JsonObject[];
}

/** K37-105: Kubernetes 1.37 has one annotation for all failures; before, the first one is annotated, because an annotation is written once. */
function publishFailures(
  failures: readonly JsonObject[],
  attributes: AdmissionAttributes,
  { release }: AdmissionContext,
): void {
  if (failures.length === 0) return;
  // K37-105
  const shown = failures.slice(0, release.atLeast("1.37") ? MAX_FAILURES : 1);
  annotate(attributes, VALIDATION_FAILURE, encodeJson(shown));
}

/** Asks one policy with all its bindings. */
async function askPolicy(
  bound: BoundPolicy,
  request: PolicyRequest,
  context: AdmissionContext,
  findings: Findings,
): Promise<void> {
  const { attributes } = request;
  const annotations = new AnnotationValues();
  const report = ({ policy, binding, message }: Misconfiguration): void => {
    if (!policy.ignoresFailures) findings.denials.push({ policy, binding, message, reason: "" });
  };
  let objects: EvaluatedObjects | undefined;
  for await (const invocation of invocationsOf(bound, attributes, context, report)) {
    try {
      objects ??= await evaluatedObjects(attributes, invocation.matched);
    } catch (error) {
      // A conversion by another process may fail.
      const reason = `failed to convert object version: ${errorMessage(error)}`;
      report(misconfiguration(invocation.policy, invocation.binding, reason));
      continue;
    }
    const found = await askOnce(invocation, request, objects, annotations);
    append(findings.denials, found.denials);
    append(findings.failures, found.failures);
  }
  annotations.publish(bound.policy.name, attributes);
}

/** Evaluates a policy with one parameter, and does what the binding wants done with what it finds. */
async function askOnce(
  { policy, binding, matched, parameter }: Invocation,
  request: PolicyRequest,
  objects: EvaluatedObjects,
  annotations: AnnotationValues,
): Promise<Findings> {
  const { attributes } = request;
  const denied = ({ message, reason }: Pick<Refusal, "message" | "reason">): Denial => ({
    policy,
    binding,
    message,
    reason,
  });
  const measure = (action: MeasuredPolicyCheck["action"], { message, reason, milliseconds = 0 }: Measured): void =>
    request.measures?.policyCheck({
      policy: policy.name,
      binding: binding.name,
      errorType: reason === "" ? errorTypeOf(message) : "no_error",
      action,
      milliseconds,
    });
  const ignored = (message: string, milliseconds: number): void =>
    measure("allow", { message, reason: "", milliseconds });
  const { refusals, annotated } = await evaluate(policy, request, { matched, objects, parameter }, ignored);
  const [denials, failures]: [Denial[], JsonObject[]] = [[], []];
  for (const found of refusals) {
    for (const action of binding.actions) {
      measure(action.toLowerCase() as "deny" | "audit" | "warn", found);
      if (action === "Deny") denials.push(denied(found));
      else if (action === "Audit") failures.push(failureOf(policy, binding, found));
      else if (action === "Warn") {
        const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        attributes.addWarning(`Validation failed for ${by}: ${found.message}`);
      }
    }
  }
  for (const one of annotated) {
    if ("error" in one) {
      measure("deny", { message: one.error, reason: "" });
      denials.push(denied({ message: one.error, reason: "" }));
    } else annotations.add(one.key, one.value);
  }
  return { denials, failures };
}

type Measured = Pick<Refusal, "message" | "reason" | "milliseconds">;

/** kube-apiserver tells what has failed by how its message begins. */
function errorTypeOf(message: string): MeasuredPolicyCheck["errorType"] {
  if (message.startsWith("compilation")) return "compile_error";
  return message.startsWith(new OutOfBudget().message) ? "out_of_budget" : "invalid_error";
}

type Evaluated = {
  readonly refusals: readonly Refusal[];
  readonly annotated: Awaited<ReturnType<typeof evaluateAnnotations>>;
};

async function evaluate(
  policy: Policy,
  request: PolicyRequest,
  input: PolicyInput,
  ignored: ValidationTimes["ignored"],
): Promise<Evaluated> {
  const { ignoresFailures } = policy;
  const { measures } = request;
  const { variables, conditions, validations, annotations } = await validatingPolicies.of(policy);
  const failed = (message: string): Evaluated => {
    if (ignoresFailures) ignored(message, 0);
    return { refusals: ignoresFailures ? [] : [{ index: 0, message, reason: "" }], annotated: [] };
  };
  const namespaceObject = true;
  // kube-apiserver looks the namespace up before it asks the policy, and a request in a namespace that is not there fails.
  await request.namespace();
  if (conditions.length > 0) {
    const options = {
      variables,
      budget: RUNTIME_COST_BUDGET_MATCH_CONDITIONS,
      authorizer: true,
      namespaceObject: false,
    };
    // The conditions see the resource of the request itself.
    const own = { ...input, matched: { ...input.matched, resource: request.attributes.resource } };
    const outcome = await evaluateMatchConditions(conditions, await request.run(own, options), ignoresFailures);
    if (outcome.error !== undefined) return failed(outcome.error);
    if (!outcome.matches) return { refusals: [], annotated: [] };
  }
  const run = (authorizer: boolean, budget: number) =>
    request.run(input, { variables, budget, authorizer, namespaceObject });
  const expressions = await run(true, RUNTIME_COST_BUDGET);
  const runs = { expressions, messages: (budget: number) => run(false, budget) };
  const times = measures && { now: () => measures.now(), ignored };
  const refusals = await evaluateValidations(validations, ignoresFailures, runs, times);
  if (annotations.length === 0) return { refusals, annotated: [] };
  try {
    const annotated = await evaluateAnnotations(annotations, ignoresFailures, await run(false, RUNTIME_COST_BUDGET));
    return { refusals, annotated };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

const failureOf = (policy: Policy, { name: binding, actions }: Binding, found: Refusal): JsonObject => ({
  message: found.message,
  policy: policy.name,
  binding,
  expressionIndex: found.index,
  validationActions: [...actions],
});

const CODES: Readonly<Record<string, number>> = dictionary({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
});
const INVALID = 422;

/** The answer to a request that a policy refuses. */
function refusal(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
  const bound = binding === undefined ? "" : ` with binding '${binding.name}'`;
  const by = `ValidatingAdmissionPolicy '${policy.name}'${bound}`;
  const text = `${by} denied request: ${message}`;
  const { status } = refused(attributes, text);
  const stated = reason === "" ? "Invalid" : reason;
  return new StatusError({
    ...status,
    reason: stated,
    details: { ...status.details, causes: [...(status.details?.causes ?? []), { message: text }] },
    code: CODES[stated] ?? INVALID,
  });
}
