import type { ClusterRole, ClusterRoleBinding, RoleBinding } from "../../../api/types/rbac/v1.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { badRequest, forbidden, notFound, unclassified } from "../../../machinery/errors/status-error.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import {
  type FieldsOf,
  isStruct,
  object,
  objects,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { type PolicyRule, readRules } from "../../../machinery/rbac/policy-rule.js";
import { isPrivileged } from "../../authz/authorizer.js";
import { readRoleRef, type RoleRef } from "../../authz/rbac/binding.js";
import { currentPolicy, unresolvedText, type Policy } from "../../authz/rbac/policy.js";
import type { Strategy, StrategyContext } from "../../registry/strategy.js";
import { append } from "../../../base/collections/append.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { Steps } from "../../../base/async/steps.js";
import { compareKeys } from "../../../base/collections/key-order.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { type Missing, missingSteps } from "../../../machinery/rbac/covers.js";
import type { User } from "../../request/user.js";

const GROUP = "rbac.authorization.k8s.io";

type Authorize = NonNullable<Strategy["authorize"]>;

/**
 * Refuses a role with permissions that the caller does not have, unless the caller may escalate the role. A role that gathers the rules
 * of others could get any: only those with all permissions may write one.
 */
export const authorizeRole =
  (resource: "roles" | "clusterroles"): Authorize =>
  async (draft, old, context, requestName) => {
    const namespace = namespaceOf(draft);
    if (isPrivileged(context.user)) return;
    if (await may("escalate", { resource, name: requestName, namespace }, context)) return;
    if (old !== undefined && changesOnlyGarbageCollection(draft, old)) return;
    const refuse = (message: string): Error =>
      forbidden({ group: GROUP, resource }, draft.metadata?.name ?? "", message);
    const lacking = await escalation(readRules(draft["rules"]), namespace, context);
    if (lacking !== undefined) throw refuse(lacking);
    if (!gathers(draft) && !(old !== undefined && gathers(old))) return;
    if ((await escalation(EVERYTHING, "", context)) === undefined) return;
    throw refuse("must have cluster-admin privileges to use the aggregationRule");
  };

/** Rejects a binding to a role with permissions that the caller does not have in the binding's namespace, unless the caller may bind the role. */
export const authorizeBinding =
  (resource: "rolebindings" | "clusterrolebindings"): Authorize =>
  async (draft, old, context) => {
    const namespace = namespaceOf(draft);
    if (isPrivileged(context.user)) return;
    if (old !== undefined && changesOnlyGarbageCollection(draft, old)) return;
    const ref = readRoleRef(draft);
    if (await mayBind(draft, ref, namespace, context)) return;
    const policy = await currentPolicy(context.objects, namespace);
    const rules = policy.rulesOf(ref, namespace);
    if (rules === undefined) throw unresolved(ref, namespace);
    const lacking = await inSlices(escalationTextSteps(policy, context.user, namespace, rules));
    if (lacking !== undefined) throw forbidden({ group: GROUP, resource }, draft.metadata?.name ?? "", lacking);
  };

const EVERYTHING: readonly PolicyRule[] = readRules([
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] } satisfies FieldsOf<PolicyRule>,
  { verbs: ["*"], nonResourceURLs: ["*"] } satisfies FieldsOf<PolicyRule>,
]);

const namespaceOf = ({ metadata }: KubeObject): string => metadata?.namespace ?? "";

const gathers = ({ aggregationRule }: ReceivedObject<ClusterRole>): boolean =>
  objects(object(aggregationRule)["clusterRoleSelectors"]).length > 0;

async function escalation(
  rules: readonly PolicyRule[],
  namespace: string,
  { objects: access, user }: StrategyContext,
): Promise<string | undefined> {
  return inSlices(escalationTextSteps(await currentPolicy(access, namespace), user, namespace, rules));
}

async function mayBind(
  { roleRef }: ReceivedObject<RoleBinding | ClusterRoleBinding>,
  { kind, name }: RoleRef,
  namespace: string,
  context: StrategyContext,
): Promise<boolean> {
  if (kind !== "ClusterRole" && kind !== "Role") return false;
  const resource = kind === "Role" ? "roles" : "clusterroles";
  return may("bind", { resource, name, namespace, group: text(object(roleRef)["apiGroup"]) }, context);
}

interface AskedRole {
  readonly group?: string;
  readonly resource: string;
  readonly name: string;
  readonly namespace: string;
}

/** Asks the whole chain of the server's authorizers. An authorizer that fails has not allowed it. */
async function may(
  verb: string,
  { group = GROUP, resource, name, namespace }: AskedRole,
  { user, authorization }: StrategyContext,
): Promise<boolean> {
  const role = { apiGroup: group, apiVersion: "*", resource, subresource: "", namespace, name };
  const { decision } = await authorization.authorize({ user, verb, isResourceRequest: true, ...role, path: "" });
  return decision === "allow";
}

function unresolved(ref: RoleRef, namespace: string): Error {
  if (ref.kind !== "ClusterRole" && ref.kind !== "Role") return unclassified(unresolvedText(ref, "plural"));
  if (ref.kind === "Role" && namespace === "") return badRequest("Namespace parameter required.");
  return notFound({ group: GROUP, resource: ref.kind === "Role" ? "roles" : "clusterroles" }, ref.name);
}

/** True for a change to nothing but what the garbage collector changes. */
function changesOnlyGarbageCollection(draft: KubeObject, old: KubeObject): boolean {
  return deepEqual(withoutGarbageCollection(draft), withoutGarbageCollection(old));
}

const IGNORED: ReadonlySet<string> = new Set(["ownerReferences", "finalizers", "managedFields"]);

/** Without fields that are empty, too: an empty list is as good as none. */
function withoutGarbageCollection({ metadata, ...content }: KubeObject): JsonValue {
  const kept = Object.entries(metadata ?? {}).filter(([field, value]) => !IGNORED.has(field) && !isEmpty(value));
  const rest = Object.entries(content).filter(([, value]) => !isEmpty(value));
  return { ...Object.fromEntries(rest), metadata: Object.fromEntries(kept) } satisfies FieldsOf<ApiObject>;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isStruct(value) && Object.keys(value).length === 0);

/** Permissions that a refusal lists. A role of some kilobytes may lack millions. */
const MOST_LISTED = 1000;
/** Characters of the list. */
const LONGEST_LIST = 64 * 1024;

/**
 * Undefined when roles give the user all permissions of `rules` in the namespace, "" for the whole cluster. Else the text of the refusal,
 * which lists the permissions that the user lacks. In steps.
 */
function* escalationTextSteps(
  policy: Policy,
  user: User,
  namespace: string,
  rules: readonly PolicyRule[],
): Steps<string | undefined> {
  const held: PolicyRule[] = [];
  const missing: RoleRef[] = [];
  policy.visitRules(user, namespace, {
    rule(rule) {
      held.push(rule);
      return false;
    },
    missing: (ref) => missing.push(ref),
  });
  const lacking = yield* missingSteps(held, rules, MOST_LISTED);
  if (lacking.count === 0) return undefined;
  const attempt = `user ${goQuote(user.name)} (groups=${quoted(user.groups)}) is attempting to grant RBAC permissions not currently held:`;
  const errors = missing.map((ref) => unresolvedText(ref, "plural"));
  const resolution = errors.length === 0 ? "" : `; resolution errors: [${aggregateText(errors)}]`;
  return `${attempt}\n${listText(lacking)}${resolution}`;
}

/** The list as kube-apiserver has it, up to a length. */
function listText({ listed, count }: Missing): string {
  const texts = [...new Set(withVerbsTogether(listed).map(compactText))].sort(compareKeys).join("\n");
  if (texts.length > LONGEST_LIST) return `${texts.slice(0, LONGEST_LIST)}\n... (${count} permissions in all)`;
  return count > listed.length ? `${texts}\n... (${count} permissions in all)` : texts;
}

/** Single permissions, with those of one resource and name in one rule. */
function withVerbsTogether(permissions: readonly PolicyRule[]): readonly PolicyRule[] {
  const onResources = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const onUrls: PolicyRule[] = [];
  for (const permission of permissions) {
    if (permission.nonResourceURLs.length > 0) {
      onUrls.push(permission);
      continue;
    }
    const key = JSON.stringify([permission.apiGroups, permission.resources, permission.resourceNames]);
    const known = onResources.get(key);
    if (known === undefined) onResources.set(key, { ...permission, verbs: [...permission.verbs] });
    else append(known.verbs, permission.verbs);
  }
  return [...onUrls, ...onResources.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
function compactText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs],
  ];
  const filled = lists.filter(([, values]) => values.length > 0);
  return `{${filled.map(([name, values]) => `${name}:${quoted(values)}`).join(", ")}}`;
}

/** Go's %q of a list. */
const quoted = (values: readonly string[]): string => `[${values.map(goQuote).join(" ")}]`;
