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
