import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { PolicyRule } from "../../../api/types/rbac/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { AuthorizationContext, AuthorizationMode, AuthorizerAttributes, Decision } from "../authorizer.js";
import { keyOf } from "./references.js";
import { NodeGraph, neededFor } from "./node-graph.js";
import { nodeOf } from "../../request/user.js";
import { ALLOWED, ruleFor, refused } from "./node-resources.js";
import { bootstrapRbac } from "../../../api/bootstrap/rbac.js";
import type { Release } from "../../../api/facts/index.js";
import { list, objects } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/**
 * Allows a kubelet (a user system:node:NAME in the group system:nodes) what the role system:node allows, and of secrets, config maps,
 * volumes, claims and the like only those that its own pods use. It has no opinion of other users. What NodeRestriction
 * checks by the object, the admission plugin checks.
 */
export function nodeMode(context: AuthorizationContext): AuthorizationMode {
  const graph = new NodeGraph();

  /** Answers at once where there is a watch cache, unless many objects in it are new, as they are at the first question. */
  function leads(attributes: AuthorizerAttributes, node: string): boolean | Promise<boolean> {
    const { resource, namespace, name } = attributes;
    const { objects } = context;
    const key = keyOf(resource, namespace, name);
    const needed = neededFor(resource);
    const cached = needed.map((one) => ({ one, items: objects.cached.now(one.group, one.resource) }));
    if (cached.some(({ items }) => items === undefined)) return leadsInStorage(key, node, needed);
    for (const { one, items = [] } of cached) {
      const steps = graph.prepare(one, items);
      // Then with the lists as they are by then: others may have changed meanwhile.
      if (steps !== undefined) return inSlices(steps).then(() => leads(attributes, node));
    }
    for (const { one, items = [] } of cached) graph.follow(one, items);
    return graph.leads(key, node);
  }

  async function leadsInStorage(key: string, node: string, needed: ReturnType<typeof neededFor>): Promise<boolean> {
    const read = new NodeGraph();
    for (const one of needed) {
      const found = await context.objects.list(one.group, one.resource);
      read.follow(
        one,
        found.map((object) => ({ object: () => object })),
      );
    }
    return read.leads(key, node);
  }

  function related(attributes: AuthorizerAttributes, node: string): Decision | Promise<Decision> {
    if (attributes.name === "") return refused("No Object name found");
    const decide = (found: boolean): Decision =>
      found ? ALLOWED : refused(`no relationship found between node '${node}' and this object`);
    const found = leads(attributes, node);
    return typeof found === "boolean" ? decide(found) : found.then(decide);
  }

  return {
    name: "Node",
    authorize(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return { decision: "no-opinion" };
      if (node === "") return refused(`unknown node for user ${goQuote(attributes.user.name)}`);
      const rule = ruleFor(attributes);
      if (rule === undefined) return nodeRulesAllow(attributes, context.release) ? ALLOWED : { decision: "no-opinion" };
      const outcome = rule(attributes, node);
      return outcome === "if related" ? related(attributes, node) : outcome;
    },
    rightsOf: (user) =>
      nodeOf(user) === undefined
        ? { resourceRules: [], nonResourceRules: [], incomplete: false }
        : {
            resourceRules: [],
            nonResourceRules: [],
            incomplete: true,
            error: "node authorizer does not support user rule resolution",
          },
  };
}

/** Whether the role system:node, as a fresh server has it, allows a request. What is stored of the role does not matter. */
function nodeRulesAllow(attributes: AuthorizerAttributes, release: Release): boolean {
  if (!attributes.isResourceRequest) return false;
  const { resource, subresource, verb, apiGroup } = attributes;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return nodeRulesOf(release).some(
    (rule) =>
      list(rule.verbs).includes(verb) &&
      list(rule.apiGroups).includes(apiGroup) &&
      list(rule.resources).includes(whole),
  );
}

function nodeRulesOf(release: Release): readonly FieldsOf<PolicyRule>[] {
  let rules = nodeRules.get(release);
  if (rules === undefined) {
    const isRole = ({ kind, metadata }: KubeObject): boolean =>
      kind === "ClusterRole" && metadata?.name === "system:node";
    rules = objects(bootstrapRbac(release).find(isRole)?.["rules"]);
    nodeRules.set(release, rules);
  }
  return rules;
}

const nodeRules = new WeakMap<Release, readonly FieldsOf<PolicyRule>[]>();
