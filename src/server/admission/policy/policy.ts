import { isFields, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { type GroupVersionKind, parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { type MatchResources, matchResourcesOf } from "./match-resources.js";

/** A mutating or validating policy, ready to be matched with requests. Its expressions are compiled when a request matches. */
export interface Policy {
  readonly name: string;
  /** True: a failure of the policy does not fail the request. */
  readonly ignoresFailures: boolean;
  readonly constraints: MatchResources;
  /** The kind of the parameters; undefined for a policy without. */
  readonly parameterKind: GroupVersionKind | undefined;
  /** Of a mutating policy: it may be asked again when a later plugin or policy has changed the object. */
  readonly mayBeReinvoked: boolean;
  readonly spec: ReadonlyFields;
}

export function policyOf(policy: KubeObject): Policy {
  const spec = object(policy["spec"]);
  const { paramKind } = spec;
  return {
    name: policy.metadata?.name ?? "",
    ignoresFailures: spec["failurePolicy"] === "Ignore",
    constraints: matchResourcesOf(object(spec["matchConstraints"])),
    parameterKind: isFields(paramKind)
      ? { ...parseGroupVersion(text(paramKind["apiVersion"])), kind: text(paramKind["kind"]) }
      : undefined,
    mayBeReinvoked: spec["reinvocationPolicy"] === "IfNeeded",
    spec,
  };
}
