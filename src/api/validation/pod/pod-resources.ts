import { forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, object, objects, type Received } from "../../../machinery/meta/received.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type Quantity,
} from "../../../machinery/text/quantity/quantity.js";
import type { Container, PodSpec, ResourceList } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { isHugePages, quantity, validatePodResourceName, validateResources } from "../resources.js";
import type { PodValidationOptions } from "./pod-options.js";

type Amounts = Map<string, Quantity>;

/** Checks the pod-level resources: they must be enough for the pod's containers. `path` is the spec's. */
export function validatePodResources(
  spec: Received<PodSpec>,
  claims: ReadonlySet<string>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  if (absent(spec.resources)) return;
  const at = `${path}.resources`;
  if (object(spec.os).name === "windows") {
    errors.push(forbiddenField(at, "may not be set for a windows pod"));
    return;
  }
  const resources = object(spec.resources);
  if (!absent(resources.claims)) {
    errors.push(forbiddenField(`${at}.claims`, "claims may not be set for Resources at pod-level"));
  }
  validateResources(resources, claims, at, options, errors, validatePodResourceName);
  checkConsistency(spec, at, errors);
}

function checkConsistency(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const [requests, limits] = [object(object(spec.resources).requests), object(object(spec.resources).limits)];
  const tooSmall = (kind: "requests" | "limits", name: string, own: unknown, sum: Quantity) => {
    const parsed = quantity(own);
    if (parsed === undefined || compareQuantities(sum, parsed) <= 0) return;
    const detail = `must be greater than or equal to aggregate container ${kind} of ${formatQuantity(sum)}`;
    errors.push(invalidValue(`${path}.${kind}[${name}]`, formatQuantity(parsed), detail));
  };
  for (const [name, sum] of aggregate(spec, "requests")) tooSmall("requests", name, requests[name], sum);
  for (const [name, sum] of aggregate(spec, "limits")) {
    if (isHugePages(name)) tooSmall("limits", name, limits[name], sum);
  }
  for (const [index, container] of objects(spec.containers).entries()) {
    for (const [name, value] of Object.entries(object(object(container.resources).limits))) {
      const [own, most] = [quantity(value), quantity(limits[name])];
      if (own === undefined || most === undefined || compareQuantities(own, most) <= 0) continue;
      const detail = `must be less than or equal to pod limits of ${formatQuantity(most)}`;
      errors.push(invalidValue(`${path}.containers[${index}][${name}].limits`, formatQuantity(own), detail));
    }
  }
}

/** The aggregate of the containers' resources, sidecars included, or the need of init containers if that is larger. */
export function aggregate(spec: Received<PodSpec>, kind: "requests" | "limits"): Amounts {
  const amounts = ({ resources }: Received<Container>) => toAmounts(object(object(resources)[kind]));
  const total: Amounts = new Map();
  for (const container of objects(spec.containers)) add(total, amounts(container));
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of objects(spec.initContainers)) {
    const own = amounts(container);
    if (container.restartPolicy === "Always") {
      add(total, own);
      add(sidecars, own);
      raise(starting, sidecars);
    } else {
      add(own, sidecars);
      raise(starting, own);
    }
  }
  raise(total, starting);
  return total;
}

function toAmounts(values: Received<ResourceList>): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, value] of Object.entries(values)) {
    const parsed = quantity(value);
    if (parsed !== undefined) amounts.set(name, parsed);
  }
  return amounts;
}

function add(target: Amounts, more: Amounts): void {
  for (const [name, value] of more) {
    const own = target.get(name);
    target.set(name, own === undefined ? value : addQuantities(own, value));
  }
}

function raise(target: Amounts, least: Amounts): void {
  for (const [name, value] of least) {
    const own = target.get(name);
    if (own === undefined || compareQuantities(value, own) > 0) target.set(name, value);
  }
}
