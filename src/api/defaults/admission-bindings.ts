import { child, type Fields, setDefault } from "../../machinery/meta/access.js";
import { defaultAdmissionPolicyBinding } from "./policy.js";

/** Bindings of mutating and validating policies in v1alpha1; later versions ask for the action. */
export function defaultAlphaPolicyBinding(binding: Fields): void {
  defaultAdmissionPolicyBinding(binding);
  const parameters = child(child(binding, "spec") ?? {}, "paramRef");
  if (parameters !== undefined) setDefault(parameters, "parameterNotFoundAction", "Deny");
}
