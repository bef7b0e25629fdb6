import { once } from "../../../base/async/once.js";
import { isFields, list, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { LabelSelectorObject } from "../../../machinery/validation/labels.js";
import { type MatchResources, matchResourcesOf } from "./match-resources.js";

/** Puts a policy into force: for which requests, with which parameters, and what happens to a request that it refuses. */
export interface Binding {
  readonly name: string;
  readonly policy: string;
  readonly parameters: ParameterReference | undefined;
  /** Undefined: every request that the policy is for. */
  readonly matchResources: MatchResources | undefined;
  /** "Deny", "Warn", "Audit"; of a validating policy's binding only. */
  readonly actions: readonly string[];
}

export interface ParameterReference {
  /** "" where a selector finds the parameters. */
  readonly name: string;
  /** "" for the request's. */
  readonly namespace: string;
  readonly selector: (() => LabelSelector) | undefined;
  /** A request is refused when there are no parameters. */
  readonly mustExist: boolean;
}

export function bindingOf(binding: KubeObject): Binding {
  const spec = object(binding["spec"]);
  const { paramRef, matchResources } = spec;
  return {
    name: binding.metadata?.name ?? "",
    policy: text(spec["policyName"]),
    parameters: isFields(paramRef) ? referenceOf(paramRef) : undefined,
    matchResources: isFields(matchResources) ? matchResourcesOf(matchResources) : undefined,
    actions: list(spec["validationActions"]).map(text),
  };
}

function referenceOf(reference: ReadonlyFields): ParameterReference {
  const { selector } = reference;
  return {
    name: text(reference["name"]),
    namespace: text(reference["namespace"]),
    selector: isFields(selector) ? once(() => selectorFromObject(selector as LabelSelectorObject)) : undefined,
    mustExist: reference["parameterNotFoundAction"] === "Deny",
  };
}
