import { append } from "../../base/collections/append.js";
import { type FieldError, invalidValue, notSupported, required } from "../../machinery/errors/field-error.js";
import {
  isStruct,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "../types/rbac/v1.js";
import { named } from "./rules.js";
import { selectorRulesFor, validateSelector } from "./label-selector.js";
import { requiredSegment } from "./typed-reference.js";

export function validateRole(role: ReceivedObject<Role | ClusterRole>, namespaced: boolean): FieldError[] {
  return objects(role.rules).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced));
}

function validateRule(rule: Received<PolicyRule>, path: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (list(rule.verbs).length === 0) errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  const urls = list(rule.nonResourceURLs);
  if (urls.length > 0) {
    if (namespaced) {
      errors.push(invalidValue(`${path}.nonResourceURLs`, urls, "namespaced rules cannot apply to non-resource URLs"));
    }
    if ([rule.apiGroups, rule.resources, rule.resourceNames].some((field) => list(field).length > 0)) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalidValue(`${path}.nonResourceURLs`, urls, detail));
    }
    return errors;
  }
  if (list(rule.apiGroups).length === 0) {
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (list(rule.resources).length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

/** Validates a ClusterRole with its aggregationRule, whose label selectors choose the roles that it is aggregated from. */
export function validateClusterRole(role: ReceivedObject<ClusterRole>, allowInvalidSelectors = false): FieldError[] {
  const errors = validateRole(role, false);
  const { aggregationRule } = role;
  if (!isStruct(aggregationRule)) return errors;
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = list(aggregationRule.clusterRoleSelectors);
  if (selectors.length === 0) {
    return [...errors, required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  const rules = { allowInvalidValues: allowInvalidSelectors };
  return [...errors, ...selectors.flatMap((selector, index) => validateSelector(selector, `${path}[${index}]`, rules))];
}

export function validateClusterRoleUpdate(
  role: ReceivedObject<ClusterRole>,
  old: ReceivedObject<ClusterRole>,
): FieldError[] {
  const selectors = list(object(old.aggregationRule).clusterRoleSelectors);
  return validateClusterRole(role, selectorRulesFor(selectors).allowInvalidValues);
}

const RBAC = "rbac.authorization.k8s.io";

export function validateRoleBinding(
  binding: ReceivedObject<RoleBinding | ClusterRoleBinding>,
  namespaced: boolean,
): FieldError[] {
  const role = object(binding.roleRef);
  const errors: FieldError[] = [];
  if (role.apiGroup !== RBAC) errors.push(notSupported("roleRef.apiGroup", text(role.apiGroup), [RBAC]));
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(text(role.kind))) errors.push(notSupported("roleRef.kind", text(role.kind), kinds));
  append(errors, requiredSegment(role.name, "roleRef.name"));
  return [
    ...errors,
    ...objects(binding.subjects).flatMap((subject, index) =>
      validateSubject(subject, `subjects[${index}]`, namespaced),
    ),
  ];
}

function validateSubject(subject: Received<Subject>, path: string, namespaced: boolean): FieldError[] {
  const [kind, name, group] = [text(subject.kind), text(subject.name), text(subject.apiGroup)];
  const errors = name === "" ? [required(`${path}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") append(errors, named(name, `${path}.name`, dns1123SubdomainErrors));
      if (group !== "") errors.push(notSupported(`${path}.apiGroup`, group, [""]));
      if (!namespaced && text(subject.namespace) === "") errors.push(required(`${path}.namespace`));
      return errors;
    case "User":
    case "Group":
      if (group !== RBAC) errors.push(notSupported(`${path}.apiGroup`, group, [RBAC]));
      return errors;
    default:
      errors.push(notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]));
      return errors;
  }
}

/** Validates an update of a binding: its role may not change. The error shows the value with the internal type's names. */
export function validateRoleBindingUpdate(
  binding: ReceivedObject<RoleBinding | ClusterRoleBinding>,
  old: ReceivedObject<RoleBinding | ClusterRoleBinding>,
): FieldError[] {
  const [role, before] = [object(binding.roleRef), object(old.roleRef)];
  if ((["apiGroup", "kind", "name"] as const).every((field) => text(role[field]) === text(before[field]))) return [];
  const shown = { APIGroup: text(role.apiGroup), Kind: text(role.kind), Name: text(role.name) };
  return [invalidValue("roleRef", shown, "cannot change roleRef")];
}
