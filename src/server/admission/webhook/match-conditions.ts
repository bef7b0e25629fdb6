import { errorMessage } from "../../../base/text/error-message.js";
import {
  compileExpression,
  type CompiledExpression,
  expressionEnvironment,
} from "../../../api/admission/expression-environment.js";
import { RUNTIME_COST_BUDGET_MATCH_CONDITIONS } from "../../../machinery/cel/kubernetes/cost-limits.js";
import { BOOL } from "../../../machinery/cel/types/type.js";
import { forbidden, internalError } from "../../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../attributes.js";
import { CompiledOnce } from "../expressions/compiled-once.js";
import { type EvaluatedObjects, evaluatedObjects } from "../expressions/evaluated-request.js";
import { EvaluationRun } from "../expressions/evaluation-run.js";
import { evaluateMatchConditions } from "../expressions/match-conditions.js";
import { RequestAuthorizer, requestBindings } from "../expressions/request-bindings.js";
import type { AdmissionContext } from "../plugin.js";
import type { Invocation } from "./invocation.js";
import type { Webhook } from "./webhook.js";

const compiled = new CompiledOnce<Webhook, readonly CompiledExpression[]>(function* ({ matchConditions, libraries }) {
  const environment = expressionEnvironment({ params: false, authorizer: true, libraries });
  const conditions: CompiledExpression[] = [];
  for (const { expression } of matchConditions) {
    conditions.push(compileExpression(environment, expression, [BOOL]));
    yield;
  }
  return conditions;
});

/** Whether all matchConditions of a webhook are true. Rejects with 403 when they fail and the webhook's failures are not ignored. */
export async function matchesConditions(
  { webhook, kind }: Invocation,
  attributes: AdmissionAttributes,
  { authorize }: AdmissionContext,
): Promise<boolean> {
  const { resource, signal, name } = attributes;
  const authorizer = new RequestAuthorizer(attributes, authorize);
  const bindings = requestBindings(attributes, {
    matched: { kind, resource },
    objects: await shown(attributes, kind),
    parameter: undefined,
    namespaceObject: null,
    authorizer,
  });
  const run = new EvaluationRun({
    bindings,
    variables: new Map(),
    budget: RUNTIME_COST_BUDGET_MATCH_CONDITIONS,
    signal,
    decisions: authorizer.decisions,
  });
  const outcome = await evaluateMatchConditions(await compiled.of(webhook), run, webhook.ignoresFailures);
  if (outcome.error === undefined) return outcome.matches;
  throw forbidden({ group: resource.group, resource: resource.resource }, name, outcome.error);
}

async function shown(attributes: AdmissionAttributes, kind: Invocation["kind"]): Promise<EvaluatedObjects> {
  try {
    return await evaluatedObjects(attributes, { kind });
  } catch (error) {
    // A conversion by another process may fail.
    throw internalError(errorMessage(error));
  }
}
