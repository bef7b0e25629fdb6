import type { FieldsOf } from "../../../machinery/meta/received.js";
import type * as v1 from "../../../api/types/admissionregistration/v1.js";
import type { Release } from "../../../api/facts/index.js";
import { isFields, object, text, list, objects } from "../../../machinery/meta/access.js";
import { type GroupVersionKind, parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { once } from "../../../base/async/once.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { LabelSelectorObject } from "../../../machinery/validation/labels.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import { matchRules, type Rule, ruleOf } from "../matching/match-rules.js";
import { matchesNamespace, matchesObject, type MatchSelectors } from "../matching/match-selectors.js";
import type { AdmissionObjects } from "../plugin.js";

/** A mutating or validating policy, ready to be matched with requests. Its expressions are compiled when a request matches. */
/** The spec of a policy of either kind. */
export type PolicySpec = FieldsOf<v1.ValidatingAdmissionPolicySpec & v1.MutatingAdmissionPolicySpec>;

export interface Policy {
  readonly name: string;
  /** True: a failure of the policy does not fail the request. */
  readonly ignoresFailures: boolean;
  readonly constraints: MatchResources;
  /** The kind of the parameters; undefined for a policy without. */
  readonly parameterKind: GroupVersionKind | undefined;
  /** Of a mutating policy: it may be asked again when a later plugin or policy has changed the object. */
  readonly mayBeReinvoked: boolean;
  readonly spec: PolicySpec;
  /** The version of Kubernetes whose function libraries its expressions may use. */
  readonly libraries: string;
}

export function policyOf(policy: KubeObject, { version: libraries }: Release): Policy {
  const spec: PolicySpec = object(policy["spec"]);
  const paramKind: FieldsOf<v1.ParamKind> | undefined = isFields(spec.paramKind) ? spec.paramKind : undefined;
  return {
    name: policy.metadata?.name ?? "",
    ignoresFailures: spec.failurePolicy === "Ignore",
    constraints: matchResourcesOf(object(spec.matchConstraints)),
    parameterKind: paramKind && { ...parseGroupVersion(text(paramKind.apiVersion)), kind: text(paramKind.kind) },
    mayBeReinvoked: spec.reinvocationPolicy === "IfNeeded",
    spec,
    libraries,
  };
}

/** A binding puts a policy into force: for which requests, with which parameters, and with which actions on a violation. */
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
  const spec: FieldsOf<v1.ValidatingAdmissionPolicyBindingSpec> = object(binding["spec"]);
  const { paramRef, matchResources } = spec;
  return {
    name: binding.metadata?.name ?? "",
    policy: text(spec.policyName),
    parameters: isFields(paramRef) ? referenceOf(paramRef) : undefined,
    matchResources: isFields(matchResources) ? matchResourcesOf(matchResources) : undefined,
    actions: list(spec.validationActions).map(text),
  };
}

function referenceOf(reference: FieldsOf<v1.ParamRef>): ParameterReference {
  const { selector } = reference;
  return {
    name: text(reference.name),
    namespace: text(reference.namespace),
    selector: isFields(selector) ? once(() => selectorFromObject(selector as LabelSelectorObject)) : undefined,
    mustExist: reference.parameterNotFoundAction === "Deny",
  };
}

/** A policy's matchConstraints or a binding's matchResources. */
interface MatchResources extends MatchSelectors {
  /** None: all requests. */
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  readonly matchesEquivalents: boolean;
}

function matchResourcesOf(fields: FieldsOf<v1.MatchResources>): MatchResources {
  const selector = (name: "namespaceSelector" | "objectSelector") =>
    once(() => selectorFromObject(fields[name] as LabelSelectorObject | undefined));
  return {
    rules: objects(fields.resourceRules).map(ruleOf),
    excluded: objects(fields.excludeResourceRules).map(ruleOf),
    matchesEquivalents: fields.matchPolicy !== "Exact",
    namespaceSelector: selector("namespaceSelector"),
    objectSelector: selector("objectSelector"),
  };
}

/**
 * The resource and kind by which a request matches; undefined when it does not. A selector that cannot be asked counts only for
 * a request that everything else matches: then it rejects with a StatusError.
 */
export async function matchResources(
  wanted: MatchResources,
  attributes: AdmissionAttributes,
  objects: AdmissionObjects,
): Promise<EquivalentResource | undefined> {
  const { rules, excluded, matchesEquivalents } = wanted;
  if (matchRules(excluded, matchesEquivalents, attributes) !== undefined) return undefined;
  const { resource, kind } = attributes;
  const matched = rules.length === 0 ? { resource, kind } : matchRules(rules, matchesEquivalents, attributes);
  if (matched === undefined) return undefined;
  if (!matchesObject(wanted, attributes)) return undefined;
  return (await matchesNamespace(wanted, attributes, objects)) ? matched : undefined;
}
