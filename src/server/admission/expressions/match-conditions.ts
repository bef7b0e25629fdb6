import type { CompiledExpression } from "../../../api/admission/expression-environment.js";
import { type EvaluationRun, OutOfBudget } from "./evaluation-run.js";

/** The outcome of match conditions. With `error` they failed, and the request is refused. */
export type MatchOutcome = { readonly matches: boolean; readonly error?: undefined } | { readonly error: string };

/**
 * Whether all conditions are true. One that is false decides, whatever failed before it; else a failure is the outcome, or no match where
 * failures are ignored.
 */
export async function evaluateMatchConditions(
  conditions: readonly CompiledExpression[],
  run: EvaluationRun,
  ignoresFailures: boolean,
): Promise<MatchOutcome> {
  const failed = (error: string): MatchOutcome => (ignoresFailures ? { matches: false } : { error });
  const errors = new Set<string>();
  let isFalse = false;
  try {
    for (const condition of conditions) {
      const outcome = await run.evaluate(condition);
      if (outcome.error !== undefined) errors.add(outcome.error);
      else if (outcome.value === false) isFalse = true;
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
  if (isFalse) return { matches: false };
  if (errors.size === 0) return { matches: true };
  const [first = ""] = errors;
  return failed(errors.size === 1 ? first : `[${[...errors].join(", ")}]`);
}
