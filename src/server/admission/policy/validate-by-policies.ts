import { encodeJson } from "../../../machinery/codec/json-encoder.js";
import { StatusError } from "../../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../attributes.js";
import { annotate } from "../annotate.js";
import { evaluatedObjects } from "../expressions/evaluated-request.js";
import { OutOfBudget } from "../expressions/evaluation-run.js";
import { evaluateMatchConditions, MATCH_CONDITIONS_BUDGET } from "../expressions/match-conditions.js";
import type { AdmissionContext } from "../plugin.js";
import { refused } from "../refusal.js";
import { AnnotationValues } from "./annotation-values.js";
import type { Binding } from "./binding.js";
import type { BoundPolicy } from "./configured-policies.js";
import { evaluateAnnotations, evaluateValidations, type Refusal } from "./evaluate-validations.js";
import { matchResources } from "./match-resources.js";
import { parametersOf, servedParameterKind } from "./parameters.js";
import type { Policy } from "./policy.js";
import { type PolicyInput, PolicyRequest, POLICY_BUDGET } from "./policy-request.js";
import { validatingPolicies } from "./validating-policy.js";

/** The key of the annotation about a validation that failed, where a binding wants one. */
const VALIDATION_FAILURE = "validation.policy.admission.k8s.io/validation_failure";

/** A refusal of the request by a policy. Without a binding: the policy cannot be asked at all. */
interface Denial extends Pick<Refusal, "message" | "reason"> {
  readonly policy: string;
  readonly binding?: string;
}

/** Asks all policies that the request is for. All of them are asked, and rejects with the first refusal. */
export async function validateByPolicies(
  bound: readonly BoundPolicy[],
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): Promise<void> {
  const request = new PolicyRequest(attributes, context);
  const denials: Denial[] = [];
  for (const { policy, bindings } of bound) denials.push(...(await askPolicy(policy, bindings, request, context)));
  const [denial] = denials;
  if (denial !== undefined) throw refusal(attributes, denial);
}

/** The denials of one policy with all its bindings. */
async function askPolicy(
  policy: Policy,
  bindings: readonly Binding[],
  request: PolicyRequest,
  context: AdmissionContext,
): Promise<readonly Denial[]> {
  const { attributes } = request;
  const denials: Denial[] = [];
  const misconfigured = (error: unknown, binding?: string): void => {
    if (policy.ignoresFailures) return;
    const what = binding === undefined ? "policy" : "binding";
    const message = `failed to configure ${what}: ${error instanceof Error ? error.message : String(error)}`;
    denials.push({ policy: policy.name, message, reason: "", ...(binding !== undefined && { binding }) });
  };
  let matched;
  let kind;
  try {
    matched = await matchResources(policy.constraints, attributes, context.objects);
    if (matched === undefined) return [];
    kind = servedParameterKind(policy, context);
  } catch (error) {
    misconfigured(error);
    return denials;
  }
  const annotations = new AnnotationValues();
  let objects;
  for (const binding of bindings) {
    let parameters;
    try {
      const { matchResources: own } = binding;
      if (own !== undefined && (await matchResources(own, attributes, context.objects)) === undefined) continue;
      parameters = await parametersOf(kind, binding, attributes.namespace, context);
      if (parameters.length > 0) objects ??= await converted(attributes, matched);
    } catch (error) {
      misconfigured(error, binding.name);
      continue;
    }
    for (const parameter of parameters) {
      if (objects === undefined) continue;
      const input = { matched, objects, parameter };
      denials.push(...(await askOnce(policy, binding, request, input, annotations)));
    }
  }
  annotations.publish(policy.name, attributes);
  return denials;
}

async function converted(...of: Parameters<typeof evaluatedObjects>): ReturnType<typeof evaluatedObjects> {
  try {
    return await evaluatedObjects(...of);
  } catch (error) {
    throw new Error(`failed to convert object version: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Evaluates a policy with one parameter, and does what the binding wants done with what it finds. */
async function askOnce(
  policy: Policy,
  binding: Binding,
  request: PolicyRequest,
  input: PolicyInput,
  annotations: AnnotationValues,
): Promise<readonly Denial[]> {
  const { attributes } = request;
  const denied = ({ message, reason }: Pick<Refusal, "message" | "reason">): Denial => ({
    policy: policy.name,
    binding: binding.name,
    message,
    reason,
  });
  const { refusals, annotated } = await evaluate(policy, request, input);
  const denials: Denial[] = [];
  for (const found of refusals) {
    for (const action of binding.actions) {
      if (action === "Deny") denials.push(denied(found));
      else if (action === "Audit") annotate(attributes, VALIDATION_FAILURE, failureText(policy, binding, found));
      else if (action === "Warn") {
        const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        attributes.addWarning(`Validation failed for ${by}: ${found.message}`);
      }
    }
  }
  for (const one of annotated) {
    if ("error" in one) denials.push(denied({ message: one.error, reason: "" }));
    else annotations.add(one.key, one.value);
  }
  return denials;
}

type Evaluated = {
  readonly refusals: readonly Refusal[];
  readonly annotated: Awaited<ReturnType<typeof evaluateAnnotations>>;
};

async function evaluate(policy: Policy, request: PolicyRequest, input: PolicyInput): Promise<Evaluated> {
  const { ignoresFailures } = policy;
  const { variables, conditions, validations, annotations } = await validatingPolicies.of(policy);
  const failed = (message: string): Evaluated => ({
    refusals: ignoresFailures ? [] : [{ index: 0, message, reason: "" }],
    annotated: [],
  });
  const namespaceObject = true;
  // kube-apiserver looks the namespace up before it asks the policy, and a request in a namespace that is not there fails.
  await request.namespace();
  if (conditions.length > 0) {
    const options = { variables, budget: MATCH_CONDITIONS_BUDGET, authorizer: true, namespaceObject: false };
    // The conditions see the resource of the request itself.
    const own = { ...input, matched: { ...input.matched, resource: request.attributes.resource } };
    const outcome = await evaluateMatchConditions(conditions, await request.run(own, options), ignoresFailures);
    if (outcome.error !== undefined) return failed(outcome.error);
    if (!outcome.matches) return { refusals: [], annotated: [] };
  }
  const run = (authorizer: boolean, budget: number) =>
    request.run(input, { variables, budget, authorizer, namespaceObject });
  const expressions = await run(true, POLICY_BUDGET);
  const refusals = await evaluateValidations(validations, ignoresFailures, {
    expressions,
    messages: (budget) => run(false, budget),
  });
  if (annotations.length === 0) return { refusals, annotated: [] };
  try {
    const annotated = await evaluateAnnotations(annotations, ignoresFailures, await run(false, POLICY_BUDGET));
    return { refusals, annotated };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

const failureText = (policy: Policy, { name: binding, actions }: Binding, found: Refusal): string =>
  encodeJson([
    {
      message: found.message,
      policy: policy.name,
      binding,
      expressionIndex: found.index,
      validationActions: [...actions],
    },
  ]);

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };
const INVALID = 422;

/** The answer to a request that a policy refuses. */
function refusal(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? "" : ` with binding '${binding}'`}`;
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
