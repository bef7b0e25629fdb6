import { append } from "../../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../../../machinery/errors/field-error.js";
import { absent, number, object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import { named, nonNegative } from "../rules.js";

export function validateLease(lease: KubeObject): FieldError[] {
  const spec = object(lease.spec);
  const duration = spec.leaseDurationSeconds;
  const errors: FieldError[] = [];
  if (!absent(duration) && number(duration) <= 0) {
    errors.push(invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  append(errors, nonNegative(spec.leaseTransitions, "spec.leaseTransitions"));
  const strategy = text(spec.strategy);
  if (!absent(spec.strategy)) append(errors, validateLeaseStrategy(strategy, "spec.strategy"));
  if (text(spec.preferredHolder) !== "" && strategy === "") {
    errors.push(forbiddenField("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
  return errors;
}

const STRATEGIES = ["OldestEmulationVersion"];

/** How the holder of a lease is chosen: a way of Kubernetes' own, or one with a domain. The path's last step is said twice. */
export function validateLeaseStrategy(strategy: string, path: string): FieldError[] {
  const at = `${path}.strategy`;
  if (strategy.includes("/")) return named(strategy, at, qualifiedNameErrors);
  return STRATEGIES.includes(strategy) ? [] : [notSupported(at, strategy, STRATEGIES)];
}
