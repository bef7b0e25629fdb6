import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  notSupported,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { domainPrefixedPathErrors, dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { IngressClass, IngressClassParametersReference } from "../../types/networking/v1.js";
import { immutable, named } from "../rules.js";
import { validateTypedReference } from "../typed-reference.js";

const MAX_CONTROLLER_BYTES = 250;

export function validateIngressClass(ingressClass: ReceivedObject<IngressClass>): FieldError[] {
  const spec = object(ingressClass.spec);
  const controller = text(spec.controller);
  const errors: FieldError[] = [];
  if (controller === "") errors.push(required("spec.controller"));
  else {
    if (Buffer.byteLength(controller) > MAX_CONTROLLER_BYTES) {
      errors.push(tooLong("spec.controller", MAX_CONTROLLER_BYTES));
    }
    append(errors, domainPrefixedPathErrors(controller, "spec.controller"));
  }
  return isStruct(spec.parameters) ? [...errors, ...validateParameters(spec.parameters)] : errors;
}

/** Validates an update of an IngressClass: its controller may not change. */
export function validateIngressClassUpdate(
  ingressClass: ReceivedObject<IngressClass>,
  old: ReceivedObject<IngressClass>,
): FieldError[] {
  return immutable(object(ingressClass.spec).controller, object(old.spec).controller, "spec.controller");
}

function validateParameters(parameters: Received<IngressClassParametersReference>): FieldError[] {
  const path = "spec.parameters";
  const errors = validateTypedReference(parameters, path);
  const { scope, namespace } = parameters;
  switch (scope) {
    case undefined:
    case null:
      return [...errors, required(`${path}.scope`)];
    case "Cluster":
      if (absent(namespace)) return errors;
      return [...errors, forbiddenField(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")];
    case "Namespace":
      if (!absent(namespace)) return [...errors, ...named(text(namespace), `${path}.namespace`, dns1123LabelErrors)];
      return [...errors, required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")];
    default:
      return [...errors, notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"])];
  }
}
