import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../machinery/errors/field-error.js";
import { absent, number, type Received, text } from "../../machinery/meta/received.js";
import { validateLabelName } from "../../machinery/validation/labels.js";
import { regexError } from "../../machinery/validation/names.js";
import type { Condition } from "../types/meta/v1.js";
import { repeatedAt } from "./rules.js";

const STATUSES = ["False", "True", "Unknown"];
const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonRule = new RegExp(`^${REASON}$`);
const REASON_TEXT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

/** Validates conditions of metav1's type, at most one of each type. */
export function validateConditions(conditions: readonly Received<Condition>[], path: string): FieldError[] {
  const types = conditions.map(({ type }) => text(type));
  const again = repeatedAt(types);
  return conditions.flatMap((condition, index) => {
    const at = `${path}[${index}]`;
    const type = types[index] ?? "";
    const twice = again.has(index) ? [duplicate(`${at}.type`, type)] : [];
    return [...twice, ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: Received<Condition>, path: string): FieldError[] {
  const [status, reason] = [text(condition.status), text(condition.reason)];
  const errors = validateLabelName(text(condition.type), `${path}.type`);
  if (!STATUSES.includes(status)) errors.push(notSupported(`${path}.status`, status, STATUSES));
  if (number(condition.observedGeneration) < 0) {
    const detail = "must be greater than or equal to zero";
    errors.push(invalidValue(`${path}.observedGeneration`, condition.observedGeneration, detail));
  }
  if (absent(condition.lastTransitionTime)) errors.push(required(`${path}.lastTransitionTime`));
  if (reason === "") errors.push(required(`${path}.reason`));
  else if (!reasonRule.test(reason)) errors.push(invalidValue(`${path}.reason`, reason, REASON_ERROR));
  if (Buffer.byteLength(reason) > MAX_REASON_BYTES) errors.push(tooLong(`${path}.reason`, MAX_REASON_BYTES));
  if (Buffer.byteLength(text(condition.message)) > MAX_MESSAGE_BYTES) {
    errors.push(tooLong(`${path}.message`, MAX_MESSAGE_BYTES));
  }
  return errors;
}

const REASON_ERROR = regexError(
  REASON_TEXT,
  REASON,
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB",
);
