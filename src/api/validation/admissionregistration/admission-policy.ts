import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { JsonPathError } from "../../../machinery/text/jsonpath/nodes.js";
import { parseTemplate } from "../../../machinery/text/jsonpath/parser.js";
import {
  absent,
  isStruct,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type {
  AuditAnnotation,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "../../types/admissionregistration/v1.js";
import { validateConditions } from "../conditions.js";
import { named, oneOf, repeatedAt, sameValue } from "../rules.js";
import {
  validateMatchResources,
  validateMutatedOperations,
  FAILURE_POLICIES,
  validateMatchConditions,
} from "./admission-rules.js";
import { PolicyExpressions } from "./policy-expressions.js";

/** Validates a ValidatingAdmissionPolicy. */
export function validateAdmissionPolicy(
  policy: ReceivedObject<ValidatingAdmissionPolicy>,
  sameConditions = false,
): FieldError[] {
  const spec = object(policy.spec);
  const expressions = PolicyExpressions.of(spec);
  return [
    ...validateMatching(spec),
    ...(sameConditions ? [] : validateConditionsOf(spec, expressions)),
    ...validateVariables(spec, expressions),
    ...validateChecks(spec, policy.metadata?.name ?? "", expressions),
  ];
}

const validateConditionsOf = (
  spec: Received<MutatingAdmissionPolicySpec | ValidatingAdmissionPolicySpec>,
  expressions: PolicyExpressions,
): FieldError[] =>
  validateMatchConditions(objects(spec.matchConditions), "spec.matchConditions", (condition, path) =>
    expressions.condition(text(condition.expression), path),
  );

/** Validates an update of a policy. Unchanged conditions are not compiled again. */
export function validateAdmissionPolicyUpdate(
  policy: ReceivedObject<ValidatingAdmissionPolicy>,
  old: ReceivedObject<ValidatingAdmissionPolicy>,
): FieldError[] {
  return validateAdmissionPolicy(policy, hasSameConditions(policy, old));
}

function hasSameConditions(
  policy: ReceivedObject<MutatingAdmissionPolicy | ValidatingAdmissionPolicy>,
  old: ReceivedObject<MutatingAdmissionPolicy | ValidatingAdmissionPolicy>,
): boolean {
  const [spec, before] = [object(policy.spec), object(old.spec)];
  return sameValue(spec.paramKind, before.paramKind) && sameValue(spec.matchConditions, before.matchConditions);
}

/** Validates a MutatingAdmissionPolicy. */
export function validateMutatingAdmissionPolicy(
  policy: ReceivedObject<MutatingAdmissionPolicy>,
  sameConditions = false,
): FieldError[] {
  const spec = object(policy.spec);
  const mutations = objects(spec.mutations);
  const expressions = PolicyExpressions.of(spec);
  const errors = [
    ...validateMatching(spec),
    ...validateMutatedOperations(object(spec.matchConstraints), "spec.matchConstraints"),
    ...(sameConditions ? [] : validateConditionsOf(spec, expressions)),
    ...validateVariables(spec, expressions),
  ];
  if (mutations.length === 0) {
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  }
  append(
    errors,
    mutations.flatMap((mutation, index) => validateMutation(mutation, `spec.mutations[${index}]`, expressions)),
  );
  if (absent(spec.reinvocationPolicy)) errors.push(required("spec.reinvocationPolicy"));
  return [...errors, ...oneOf(spec.reinvocationPolicy, "spec.reinvocationPolicy", ["IfNeeded", "Never"])];
}

/** Validates an update of a policy. Unchanged conditions are not compiled again. */
export const validateMutatingAdmissionPolicyUpdate = (
  policy: ReceivedObject<MutatingAdmissionPolicy>,
  old: ReceivedObject<MutatingAdmissionPolicy>,
): FieldError[] => validateMutatingAdmissionPolicy(policy, hasSameConditions(policy, old));

const FORMS = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

function validateMutation(mutation: Received<Mutation>, path: string, expressions: PolicyExpressions): FieldError[] {
  const type = text(mutation.patchType);
  if (type === "") return [required(`${path}.patchType`)];
  if (type !== "ApplyConfiguration" && type !== "JSONPatch") {
    return [notSupported(`${path}.patchType`, type, Object.keys(FORMS))];
  }
  const form = FORMS[type];
  const other = FORMS[type === "JSONPatch" ? "ApplyConfiguration" : "JSONPatch"];
  const { expression } = object(mutation[form]);
  const at = `${path}.${form}`;
  const errors = isStruct(mutation[form])
    ? expressions.patch(expression, `${at}.expression`, type)
    : [required(at, `must be specified when patchType is ${type}`)];
  if (isStruct(mutation[form]) && text(expression).trim() === "") errors.push(required(`${at}.expression`));
  if (isStruct(mutation[other])) {
    const detail = `must not be specified when patchType is ${type}`;
    errors.push(invalidValue(`${path}.${other}`, `{${other}}`, detail));
  }
  return errors;
}

function validateMatching(spec: Received<MutatingAdmissionPolicySpec | ValidatingAdmissionPolicySpec>): FieldError[] {
  const policy = spec.failurePolicy;
  const path = "spec.matchConstraints";
  return [
    ...(absent(policy) ? [required("spec.failurePolicy")] : oneOf(policy, "spec.failurePolicy", FAILURE_POLICIES)),
    ...(isStruct(spec.paramKind) ? validateParamKind(spec.paramKind, "spec.paramKind") : []),
    ...(isStruct(spec.matchConstraints) ? validateMatchResources(spec.matchConstraints, path) : [required(path)]),
    ...(isStruct(spec.matchConstraints) && list(spec.matchConstraints.resourceRules).length === 0
      ? [required(`${path}.resourceRules`)]
      : []),
  ];
}

function validateParamKind(kind: Received<ParamKind>, path: string): FieldError[] {
  const name = text(kind.kind);
  const errors = validateParamVersion(text(kind.apiVersion), `${path}.apiVersion`);
  if (name === "") return [...errors, required(`${path}.kind`)];
  const wrong = dns1035LabelErrors(name.toLowerCase());
  if (wrong.length === 0) return errors;
  const detail = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
  return [...errors, invalidValue(`${path}.kind`, name, detail)];
}

function validateParamVersion(apiVersion: string, path: string): FieldError[] {
  if (apiVersion === "") return [required(path)];
  const parts = apiVersion.split("/");
  if (parts.length > 2) return [invalidValue(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group = "", version = ""] = parts.length === 2 ? parts : ["", apiVersion];
  const wrongGroup = group === "" ? [] : dns1123SubdomainErrors(group);
  const errors = wrongGroup.length > 0 ? [invalidValue(path, group, wrongGroup.join(","))] : [];
  if (version === "") return [...errors, invalidValue(path, apiVersion, "version must be specified")];
  const wrong = dns1035LabelErrors(version);
  return wrong.length === 0 ? errors : [...errors, invalidValue(path, version, wrong.join(","))];
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function validateVariables(
  spec: Received<MutatingAdmissionPolicySpec | ValidatingAdmissionPolicySpec>,
  expressions: PolicyExpressions,
): FieldError[] {
  return objects(spec.variables).flatMap((variable, index) => {
    const path = `spec.variables[${index}]`;
    const name = text(variable.name);
    const errors: FieldError[] = [];
    if (name.trim() === "") errors.push(required(`${path}.name`, "name is not specified"));
    else if (!IDENTIFIER.test(name) || RESERVED.has(name)) {
      errors.push(invalidValue(`${path}.name`, name, "must be a valid CEL identifier"));
    }
    if (text(variable.expression).trim() === "") {
      errors.push(required(`${path}.expression`, "expression is not specified"));
    } else append(errors, expressions.variable(name, text(variable.expression), `${path}.expression`));
    return errors;
  });
}

const ONE_ITEM = "validations or auditAnnotations must contain at least one item";
const MAX_ANNOTATIONS = 20;
const MAX_EXPRESSION_BYTES = 5 * 1024;

function validateChecks(
  spec: Received<ValidatingAdmissionPolicySpec>,
  policy: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const [validations, annotations] = [objects(spec.validations), objects(spec.auditAnnotations)];
  if (validations.length === 0 && annotations.length === 0) {
    return [required("spec.validations", ONE_ITEM), required("spec.auditAnnotations", ONE_ITEM)];
  }
  const errors = validations.flatMap((check, index) => validateCheck(check, `spec.validations[${index}]`, expressions));
  if (annotations.length > MAX_ANNOTATIONS) {
    const shown = annotations.map(({ key, valueExpression }) => ({
      Key: text(key),
      ValueExpression: text(valueExpression),
    }));
    const detail = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
    errors.push(invalidValue("spec.auditAnnotations", shown, detail));
  }
  const keys = annotations.map(({ key }) => text(key));
  const again = repeatedAt(keys);
  for (const [index, annotation] of annotations.entries()) {
    const path = `spec.auditAnnotations[${index}]`;
    const key = keys[index] ?? "";
    append(errors, validateAnnotation(annotation, path, policy, expressions));
    if (again.has(index)) errors.push(duplicate(`${path}.key`, key));
  }
  return errors;
}

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function validateCheck(check: Received<Validation>, path: string, expressions: PolicyExpressions): FieldError[] {
  const [message, messageExpression] = [text(check.message), text(check.messageExpression)];
  const errors: FieldError[] = [];
  if (text(check.expression).trim() === "") {
    errors.push(required(`${path}.expression`, "expression is not specified"));
  } else append(errors, expressions.validation(text(check.expression), `${path}.expression`));
  if (messageExpression.trim() !== "") {
    append(errors, expressions.message(messageExpression, `${path}.messageExpression`));
  } else if (messageExpression !== "") {
    errors.push(invalidValue(`${path}.messageExpression`, messageExpression, "must be non-empty if specified"));
  }
  if (message !== "" && message.trim() === "") {
    errors.push(invalidValue(`${path}.message`, message, "must be non-empty if specified"));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidValue(`${path}.message`, message, "must not contain line breaks"));
  }
  return [...errors, ...oneOf(check.reason, `${path}.reason`, REASONS)];
}

function validateAnnotation(
  annotation: Received<AuditAnnotation>,
  path: string,
  policy: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const [key, value] = [text(annotation.key), text(annotation.valueExpression).trim()];
  const at = `${path}.valueExpression`;
  const errors =
    policy === ""
      ? [invalidValue(`${path}.key`, key, "requires metadata.name be non-empty")]
      : named(`${policy}/${key}`, `${path}.key`, qualifiedNameErrors);
  if (value === "") return [...errors, required(at, "valueExpression is not specified")];
  if (Buffer.byteLength(value) <= MAX_EXPRESSION_BYTES) {
    return [...errors, ...expressions.annotation(text(annotation.valueExpression), at)];
  }
  return [...errors, required(at, `must not exceed ${MAX_EXPRESSION_BYTES} bytes in length`)];
}

export function validateAdmissionPolicyStatusUpdate(policy: ReceivedObject<ValidatingAdmissionPolicy>): FieldError[] {
  const status = object(policy.status);
  const path = "status.typeChecking.expressionWarnings";
  const warnings = objects(object(status.typeChecking).expressionWarnings);
  return [
    ...warnings.flatMap(({ warning, fieldRef }, index) => [
      ...(text(warning) === "" ? [required(`${path}[${index}].warning`)] : []),
      ...validateFieldRef(text(fieldRef).trim(), `${path}[${index}].fieldRef`),
    ]),
    ...validateConditions(objects(status.conditions), "status.conditions"),
  ];
}

function validateFieldRef(reference: string, path: string): FieldError[] {
  if (reference === "") return [required(path)];
  try {
    parseTemplate(`{${reference}}`);
    return [];
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return [invalidValue(path, reference, `invalid JSONPath: ${error.message}`)];
  }
}
