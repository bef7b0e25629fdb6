import type { FieldsOf } from "../../../machinery/meta/received.js";
import type {
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from "../../../api/types/admissionregistration/v1.js";
import { compareKeys } from "../../../base/collections/key-order.js";
import { forbiddenField } from "../../../machinery/errors/field-error.js";
import { isFields, object, text } from "../../../machinery/meta/access.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { type AuthorizerAttributes, isPrivileged } from "../../authz/authorizer.js";
import type { Strategy, StrategyContext } from "../../registry/strategy.js";
import type { User } from "../../request/user.js";

type AuthorizeReads = NonNullable<Strategy["authorizeReads"]>;

/**
 * Refuses a policy whose writer may not get every object of its paramKind: the server reads parameters in its own name, and a policy can
 * put them into anyone's error message. A policy keeps a paramKind that it has.
 * Source: authz.go of kube-apiserver's registries of validating and mutating admission policies.
 */
export const authorizeParamKind: AuthorizeReads = async (policy, old, context) => {
  const paramKind = paramKindOf(policy);
  if (paramKind === undefined || isPrivileged(context.user)) return [];
  if (old !== undefined && sameValue(paramKind, paramKindOf(old))) return [];
  const { resource } = resourceOf(paramKind, context);
  const refused = await refusalOf({ ...resource, verb: "get", namespace: "*", name: "*" }, context);
  if (refused === undefined) return [];
  const kind = `(kind=${text(paramKind.kind)}, apiVersion=${text(paramKind.apiVersion)})`;
  const needed = `must have "get" permission on all objects of the referenced paramKind ${kind}`;
  return [forbiddenField("spec.paramKind", refused.error ?? `user ${goUser(context.user)} ${needed}`)];
};

/**
 * Refuses a binding whose writer may not get the object that its paramRef names, or list those that it selects. Without a policy that
 * says of what kind they are, the writer needs the right for every resource. A binding keeps a policy and a paramRef that it has.
 * Source: authz.go of kube-apiserver's registries of bindings.
 */
export const authorizeParamRef =
  (policies: "validatingadmissionpolicies" | "mutatingadmissionpolicies"): AuthorizeReads =>
  async (binding, old, context) => {
    const { paramRef: given, policyName } = bindingSpecOf(binding);
    const paramRef: FieldsOf<ParamRef> = object(given);
    if (!isFields(given) || isPrivileged(context.user)) return [];
    const before = bindingSpecOf(old);
    if (sameValue(given, before.paramRef) && policyName === before.policyName) return [];
    const policy = await context.objects.get(GROUP, policies, "", text(policyName));
    const paramKind = paramKindOf(policy);
    const { resource, isServed } = paramKind !== undefined ? resourceOf(paramKind, context) : EVERY_RESOURCE;
    const [name, namespace] = [text(paramRef.name), text(paramRef.namespace)];
    const verb = name === "" ? "list" : "get";
    const refused = await refusalOf({ ...resource, verb, namespace, name }, context);
    if (refused === undefined) return [];
    const detail = (): string => {
      const who = `user ${goUser(context.user)} does not have "${verb}" permission`;
      const unknown = `to determine minimum required permissions and ${who} for all groups, versions and resources`;
      if (policy === undefined) return `unable to get policy ${text(policyName)} ${unknown}`;
      if (isFields(paramKind) && !isServed) return `unable to resolve paramKind ${goKind(paramKind)} ${unknown}`;
      return `${who} on the object referenced by paramRef`;
    };
    const { error } = refused;
    return [forbiddenField("spec.paramRef", error === undefined ? detail() : `failed to authorize request: ${error}`)];
  };

const GROUP = "admissionregistration.k8s.io";

interface AskedResource {
  readonly resource: Pick<AuthorizerAttributes, "apiGroup" | "apiVersion" | "resource">;
  readonly isServed: boolean;
}

const EVERY_RESOURCE: AskedResource = {
  resource: { apiGroup: "*", apiVersion: "*", resource: "*" },
  isServed: false,
};

/** Undefined for a policy without parameters. */
function paramKindOf(policy: FieldsOf<ValidatingAdmissionPolicy> | undefined): FieldsOf<ParamKind> | undefined {
  const { paramKind }: FieldsOf<ValidatingAdmissionPolicySpec> = object(policy?.spec);
  return isFields(paramKind) ? paramKind : undefined;
}

const bindingSpecOf = (
  binding: FieldsOf<ValidatingAdmissionPolicyBinding> | undefined,
): FieldsOf<ValidatingAdmissionPolicyBindingSpec> => object(binding?.spec);

/** The resource that has a kind. Of a kind that is not served, every resource of its version: it may be any of them one day. */
function resourceOf({ apiVersion, kind }: FieldsOf<ParamKind>, context: StrategyContext): AskedResource {
  const { group, version } = parseGroupVersion(text(apiVersion));
  const served = context.resourceOf({ group, version, kind: text(kind) });
  return {
    resource: { apiGroup: group, apiVersion: version, resource: served?.resource ?? "*" },
    isServed: served !== undefined,
  };
}

type Asked = Pick<AuthorizerAttributes, "verb" | "apiGroup" | "apiVersion" | "resource" | "namespace" | "name">;

/** Undefined for what the server's authorizers allow. `error` is why one of them could not decide. */
async function refusalOf(
  asked: Asked,
  { user, authorization }: StrategyContext,
): Promise<{ readonly error?: string } | undefined> {
  const attributes = { ...asked, user, isResourceRequest: true, subresource: "", path: "" };
  const { decision, error } = await authorization.authorize(attributes);
  return decision === "allow" ? undefined : { ...(error !== undefined && { error }) };
}

const sameValue = (one: unknown, other: unknown): boolean => deepEqual(one, other);

/** As Go's %v prints a *user.DefaultInfo. */
function goUser({ name, uid = "", groups, extra = {} }: User): string {
  const extras = Object.entries(extra).sort(([one], [other]) => compareKeys(one, other));
  const shown = extras.map(([key, values]) => `${key}:[${values.join(" ")}]`).join(" ");
  return `&{${name} ${uid} [${groups.join(" ")}] map[${shown}]}`;
}

/** As Go's %v prints a *ParamKind. */
const goKind = ({ apiVersion, kind }: FieldsOf<ParamKind>): string => `&{${text(apiVersion)} ${text(kind)}}`;
