import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../machinery/validation/names.js";
import type {
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingSpec,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
} from "../../types/admissionregistration/v1.js";
import { named, oneOf, repeatedAt } from "../rules.js";
import { validateSelector } from "../label-selector.js";
import { validateMatchResources, validateMutatedOperations } from "./admission-rules.js";

/** Validates a ValidatingAdmissionPolicyBinding. */
export function validateAdmissionPolicyBinding(
  binding: ReceivedObject<ValidatingAdmissionPolicyBinding>,
): FieldError[] {
  return [
    ...validateBinding(object(binding.spec)),
    ...validateActions(list(object(binding.spec).validationActions).map(text)),
  ];
}

/** Validates a MutatingAdmissionPolicyBinding; it has no actions, because it always mutates. */
export function validateMutatingAdmissionPolicyBinding(
  binding: ReceivedObject<MutatingAdmissionPolicyBinding>,
): FieldError[] {
  const spec = object(binding.spec);
  return [...validateBinding(spec), ...validateMutatedOperations(object(spec.matchResources), "spec.matchResources")];
}

function validateBinding(
  spec: Received<MutatingAdmissionPolicyBindingSpec | ValidatingAdmissionPolicyBindingSpec>,
): FieldError[] {
  const name = text(spec.policyName);
  return [
    ...(name === "" ? [required("spec.policyName")] : named(name, "spec.policyName", dns1123SubdomainErrors)),
    ...(isStruct(spec.paramRef) ? validateParamRef(spec.paramRef, "spec.paramRef") : []),
    ...(isStruct(spec.matchResources) ? validateMatchResources(spec.matchResources, "spec.matchResources") : []),
  ];
}

const EXCLUSIVE = "name and selector are mutually exclusive";

function validateParamRef(reference: Received<ParamRef>, path: string): FieldError[] {
  const { selector } = reference;
  const action: string | null | undefined = reference.parameterNotFoundAction;
  const name = text(reference.name);
  const errors: FieldError[] = [];
  if (name !== "") {
    append(errors, named(name, `${path}.name`, pathSegmentErrors));
    if (!absent(selector)) errors.push(forbiddenField(`${path}.name`, EXCLUSIVE));
  }
  if (!absent(selector)) {
    append(errors, validateSelector(selector, `${path}.selector`));
    if (name !== "") errors.push(forbiddenField(`${path}.selector`, EXCLUSIVE));
  } else if (name === "") errors.push(required(path, "one of name or selector must be specified"));
  const at = `${path}.parameterNotFoundAction`;
  if (absent(action) || action === "") return [...errors, required(at)];
  return [...errors, ...oneOf(action, at, ["Deny", "Allow"])];
}

const ACTIONS = ["Audit", "Deny", "Warn"];

function validateActions(actions: readonly string[]): FieldError[] {
  const path = "spec.validationActions";
  const again = repeatedAt(actions);
  const errors = actions.flatMap((action, index) => {
    const wrong = oneOf(action, `${path}[${index}]`, ACTIONS);
    return again.has(index) ? [...wrong, duplicate(`${path}[${index}]`, action)] : wrong;
  });
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalidValue(path, actions, detail));
  }
  if (actions.length === 0) errors.push(required(path, "at least one validation action is required"));
  return errors;
}
