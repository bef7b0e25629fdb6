import { type ReadonlyFields, text } from "../meta/access.js";

/** A rule of x-kubernetes-validations, as the definition has it. */
export interface ValidationRule {
  /** CEL. */
  readonly rule: string;
  readonly message?: string;
  /** CEL that makes the message. */
  readonly messageExpression?: string;
  readonly reason?: string;
  /** Of the field that the error names, from the rule's place on: ".spec.colour". */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A rule with nothing in place of what is missing or null. */
export function validationRuleOf(source: ReadonlyFields): ValidationRule {
  const { optionalOldSelf } = source;
  const given = NAMES.flatMap((name) => (text(source[name]) === "" ? [] : [[name, source[name]] as const]));
  return {
    rule: text(source.rule),
    ...Object.fromEntries(given),
    ...(typeof optionalOldSelf === "boolean" && { optionalOldSelf }),
  };
}

const NAMES = ["message", "messageExpression", "reason", "fieldPath"];
