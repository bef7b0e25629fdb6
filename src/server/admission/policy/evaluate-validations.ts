import { typeOf, type Value } from "../../../machinery/cel/values/value.js";
import { type EvaluationRun, type Outcome, OutOfBudget } from "../expressions/evaluation-run.js";
import type { AuditAnnotation, Validation } from "./compiled-policies.js";
import { annotate, type AdmissionAttributes } from "../attributes.js";

/** The reason why a policy rejects a request. */
export interface Refusal {
  /** Of the validation in the policy; 0 for what is wrong with the policy as a whole. */
  readonly index: number;
  readonly message: string;
  /** Of the Status; "" for a failure of the policy. */
  readonly reason: string;
  /** How long the validation took, where that is measured. */
  readonly milliseconds?: number;
}

/** Records the times of validations, and the failures that a policy ignores. */
export interface ValidationTimes {
  now(): number;
  ignored(message: string, milliseconds: number): void;
}

/** Evaluates the validations of a policy. If the policy ignores failures, they are left out of the result. */
export async function evaluateValidations(
  validations: readonly Validation[],
  ignoresFailures: boolean,
  /** Runs over the same request, the second with what the first has left. */
  runs: { readonly expressions: EvaluationRun; readonly messages: (budget: number) => Promise<EvaluationRun> },
  times?: ValidationTimes,
): Promise<readonly Refusal[]> {
  const took: number[] = [];
  const failures = (index: number, message: string): readonly Refusal[] => {
    const milliseconds = took[index] ?? 0;
    if (!ignoresFailures) return [{ index, message, reason: "", milliseconds }];
    times?.ignored(message, milliseconds);
    return [];
  };
  const outcomes: Outcome[] = [];
  try {
    for (const { expression } of validations) {
      const began = times?.now() ?? 0;
      outcomes.push(await runs.expressions.evaluate(expression));
      took.push((times?.now() ?? 0) - began);
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return failures(0, error.message);
    throw error;
  }
  const messages = await evaluateMessages(validations, await runs.messages(runs.expressions.left));
  return validations.flatMap((validation, index) => {
    const outcome = outcomes[index] as Outcome;
    if (outcome.error !== undefined) return failures(index, outcome.error);
    if (messages instanceof OutOfBudget) return failures(index, `failed messageExpression: ${messages.message}`);
    if (outcome.value === true) return [];
    const milliseconds = took[index] ?? 0;
    return [{ index, message: messageOf(validation, messages[index]), reason: validation.reason, milliseconds }];
  });
}

/** All message expressions are evaluated, as kube-apiserver does, those of validations that passed too: they share the budget. */
async function evaluateMessages(
  validations: readonly Validation[],
  run: EvaluationRun,
): Promise<readonly (Value | undefined)[] | OutOfBudget> {
  const values: (Value | undefined)[] = [];
  try {
    for (const { messageExpression } of validations) {
      values.push(messageExpression && (await run.evaluate(messageExpression)).value);
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return error;
    throw error;
  }
  return values;
}

const MAX_MESSAGE_BYTES = 5 * 1024;

/** The result of the message expression if it is a line of text, else the message, else the expression. */
function messageOf({ message, expression }: Validation, evaluated: Value | undefined): string {
  const line = typeof evaluated === "string" ? evaluated.trim() : "";
  const usable = Buffer.byteLength(line) <= MAX_MESSAGE_BYTES && !line.includes("\n") ? line : "";
  return usable || message.trim() || `failed expression: ${expression.text.trim()}`;
}

/** An audit annotation of a policy, or the error of evaluating it. */
export type Annotated =
  | { readonly key: string; readonly value: string }
  | { readonly key: string; readonly error: string };

/** Evaluates the audit annotations of a policy, and returns those with a value. Rejects with an {@link OutOfBudget}. */
export async function evaluateAnnotations(
  annotations: readonly AuditAnnotation[],
  ignoresFailures: boolean,
  run: EvaluationRun,
): Promise<readonly Annotated[]> {
  const found: Annotated[] = [];
  for (const { key, value: expression } of annotations) {
    const { value, error } = await run.evaluate(expression);
    if (error !== undefined) {
      if (!ignoresFailures) found.push({ key, error });
    } else if (typeof value === "string") {
      if (value.trim() !== "") found.push({ key, value: value.trim() });
    } else if (value !== null) found.push({ key, error: wrongType(expression.text, value) });
  }
  return found;
}

const wrongType = (expression: string, value: Value): string =>
  `valueExpression '${expression}' resulted in unsupported return type: ${typeOf(value).name}. Return type must be either string or null.`;

const MAX_VALUE_BYTES = 10 * 1024;

/** Collects the audit annotations of one policy. The different values that its bindings have for a key become one annotation. */
export class AnnotationValues {
  readonly #values = new Map<string, string[]>();

  add(key: string, value: string): void {
    const shown = Buffer.byteLength(value) > MAX_VALUE_BYTES ? cut(value) : value;
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, [shown]);
    else if (!known.includes(shown)) known.push(shown);
  }

  publish(policy: string, attributes: AdmissionAttributes): void {
    for (const [key, values] of this.#values) annotate(attributes, `${policy}/${key}`, values.join(", "));
  }
}

/** Its first bytes; a character that the end cuts is left out. */
function cut(value: string): string {
  const text = Buffer.from(value).subarray(0, MAX_VALUE_BYTES).toString("utf8");
  return text.replace(/\uFFFD+$/, "");
}
