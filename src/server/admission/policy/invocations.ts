import type { FieldsOf } from "../../../machinery/meta/received.js";
import { errorMessage } from "../../../base/text/error-message.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import type { AdmissionContext, ServedKind } from "../plugin.js";
import { type Binding, type Policy, type ParameterReference, matchResources } from "./policy.js";
import type { BoundPolicy } from "./configured-policies.js";
import { notFound } from "../../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";

/** One policy with one binding and one parameter, for a matching request. */
export interface Invocation {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly matched: EquivalentResource;
  readonly parameter: Parameter;
}

/** The reason why a policy, or one of its bindings, cannot be evaluated for a request. */
export interface Misconfiguration {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
}

export function misconfiguration(policy: Policy, binding: Binding | undefined, error: unknown): Misconfiguration {
  const what = binding === undefined ? "policy" : "binding";
  const reason = errorMessage(error);
  return { policy, binding, message: `failed to configure ${what}: ${reason}` };
}

/** Yields the invocations of a policy for a request, binding by binding. A binding that cannot be evaluated is reported in its turn. */
export async function* invocationsOf(
  { policy, bindings }: BoundPolicy,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  report: (misconfigured: Misconfiguration) => void,
): AsyncGenerator<Invocation> {
  let matched;
  let kind;
  try {
    matched = await matchResources(policy.constraints, attributes, context.objects);
    if (matched === undefined) return;
    kind = servedParameterKind(policy, context);
  } catch (error) {
    report(misconfiguration(policy, undefined, error));
    return;
  }
  for (const binding of bindings) {
    let parameters;
    try {
      const { matchResources: own } = binding;
      if (own !== undefined && (await matchResources(own, attributes, context.objects)) === undefined) continue;
      parameters = await parametersOf(kind, binding, attributes.namespace, context);
    } catch (error) {
      report(misconfiguration(policy, binding, error));
      continue;
    }
    for (const parameter of parameters) yield { policy, binding, matched, parameter };
  }
}

/** One evaluation of a policy takes this as `params`; undefined: null. */
type Parameter = JsonObject | undefined;

/** The kind of a policy's parameters as it is served now. Throws an Error in kube-apiserver's words when it is not. */
function servedParameterKind({ parameterKind: kind }: Policy, { kinds }: AdmissionContext): ServedKind | undefined {
  if (kind === undefined) return undefined;
  const served = kinds.find(kind);
  if (served === undefined) throw new Error(`failed to find resource referenced by paramKind: '${kindText(kind)}'`);
  return served;
}

const kindText = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

/**
 * The parameters that a binding finds for a request in `namespace`: the policy is evaluated once with each. A policy or binding without
 * parameters has one, which is undefined. Rejects with an Error in kube-apiserver's words.
 */
async function parametersOf(
  kind: ServedKind | undefined,
  { parameters: reference }: Binding,
  namespace: string,
  context: AdmissionContext,
): Promise<readonly Parameter[]> {
  if (kind === undefined || reference === undefined) return [undefined];
  const found = await find(kind, reference, parameterNamespace(kind, reference, namespace), context);
  if (found.length === 0 && reference.mustExist) {
    throw new Error("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  const { group, version, kind: name } = kind.kind;
  const apiVersion = formatGroupVersion({ group, version });
  return Promise.all(
    found.map(async (one) => ({ ...(await kind.show(one)), apiVersion, kind: name }) satisfies FieldsOf<ApiObject>),
  );
}

function parameterNamespace(kind: ServedKind, reference: ParameterReference, namespace: string): string {
  if (!kind.namespaced) {
    if (reference.namespace === "") return "";
    throw new Error("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (reference.namespace !== "" || namespace !== "") return reference.namespace || namespace;
  throw new Error("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
}

async function find(
  { resource: { group, resource } }: ServedKind,
  { name, selector }: ParameterReference,
  namespace: string,
  { objects: { cached } }: AdmissionContext,
): Promise<readonly KubeObject[]> {
  if (name !== "") {
    const found = await cached.get(group, resource, namespace, name);
    return found === undefined ? [] : [found];
  }
  if (selector === undefined) throw notFound({ group, resource }, name);
  const wanted = selector();
  const all = await cached.list(group, resource, namespace === "" ? undefined : namespace);
  return all.filter(({ metadata }) => wanted.matches(metadata?.labels ?? {}));
}
