import { bootstrapRbac } from "../../../api/bootstrap/rbac.js";
import { once } from "../../../base/async/once.js";
import { list, objects } from "../../../machinery/meta/access.js";
import type { AuthorizerAttributes } from "../authorizer.js";

/** Whether the role system:node, as a fresh server has it, allows a request. What is stored of the role does not matter. */
export function nodeRulesAllow(attributes: AuthorizerAttributes): boolean {
  if (!attributes.isResourceRequest) return false;
  const { resource, subresource, verb, apiGroup } = attributes;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return nodeRules().some(
    (rule) =>
      list(rule["verbs"]).includes(verb) &&
      list(rule["apiGroups"]).includes(apiGroup) &&
      list(rule["resources"]).includes(whole),
  );
}

const nodeRules = once(() => {
  const role = bootstrapRbac().find(({ kind, metadata }) => kind === "ClusterRole" && metadata?.name === "system:node");
  return objects(role?.["rules"]);
});
