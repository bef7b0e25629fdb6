import type { Steps } from "../../../base/async/steps.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { BOOL } from "../../../machinery/cel/types/type.js";
import { duplicate, type FieldError, invalidValue, required, tooMany } from "../../../machinery/errors/field-error.js";
import { list, objects, type Received, type ReceivedObject, text, absent } from "../../../machinery/meta/received.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { qualifiedNameErrors, pathSegmentErrors } from "../../../machinery/validation/names.js";
import { compileExpression, expressionEnvironment } from "../../admission/expression-environment.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type {
  MatchCondition,
  MutatingWebhookConfiguration,
  NamedRuleWithOperations,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  MatchResources,
} from "../../types/admissionregistration/v1.js";
import { named, oneOf, repeatedAt } from "../rules.js";
import { append } from "../../../base/collections/append.js";
import { validateSelector } from "../label-selector.js";

/** The gate of webhooks and policies from files (K37-108). */
const MANIFEST_GATE = "ManifestBasedAdmissionControlConfig";

/** The end of the names that objects of files have, and that the API refuses. */
export const STATIC_SUFFIX = ".static.k8s.io";

/**
 * Checks the name of a policy or webhook configuration that the API creates: the suffix of static manifests is reserved. An object
 * that has such a name keeps it.
 */
export function staticNameErrors({ metadata }: ApiObject, { gates }: ServerTraits): readonly FieldError[] {
  const { name = "" } = metadata ?? {};
  if (!name.endsWith(STATIC_SUFFIX) || !gates.enabled(MANIFEST_GATE)) return [];
  const reserved = `names ending with ${goQuote(STATIC_SUFFIX)} are reserved for static manifest-based configurations`;
  return [invalidValue("metadata.name", name, `${reserved} and cannot be managed via the API`)];
}

/** The values of failurePolicy for webhooks and admission policies. */
export const FAILURE_POLICIES: readonly string[] = ["Fail", "Ignore"];
export const MATCH_POLICIES: readonly string[] = ["Equivalent", "Exact"];

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];
const MAX_CONDITIONS = 64;

export function validateRuleWithOperations(
  rule: Received<NamedRuleWithOperations | RuleWithOperations>,
  path: string,
): FieldError[] {
  const operations = list(rule.operations).map(text);
  const [groups, versions] = [list(rule.apiGroups).map(text), list(rule.apiVersions).map(text)];
  return [
    ...wildcard(operations, `${path}.operations`, "operations"),
    ...operations.flatMap((operation, index) => oneOf(operation, `${path}.operations[${index}]`, OPERATIONS)),
    ...wildcard(groups, `${path}.apiGroups`, "API groups"),
    ...wildcard(versions, `${path}.apiVersions`, "API versions"),
    ...versions.flatMap((version, index) => (version === "" ? [required(`${path}.apiVersions[${index}]`)] : [])),
    ...validateResources(list(rule.resources).map(text), `${path}.resources`),
    ...oneOf(rule.scope, `${path}.scope`, SCOPES),
  ];
}

/** "*" stands alone. */
function wildcard(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalidValue(path, values, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  let plain = false;
  for (const [index, resource] of resources.entries()) {
    const at = `${path}[${index}]`;
    const slash = resource.indexOf("/");
    if (resource === "") errors.push(required(at));
    else if (slash < 0) plain = resource !== "*";
    else {
      const [name, sub] = [resource.slice(0, slash), resource.slice(slash + 1)];
      const not = (covering: string) => `if '${covering}' is present, must not specify ${resource}`;
      if (whole.has(name)) errors.push(invalidValue(at, resource, not(`${name}/*`)));
      if (everywhere.has(sub)) errors.push(invalidValue(at, resource, not(`*/${sub}`)));
      if (sub === "*") whole.add(name);
      if (name === "*") everywhere.add(sub);
    }
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalidValue(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes("*") && plain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(path, resources, detail));
  }
  return errors;
}

/** Validates match conditions. `judge` validates the expression of a condition, which is not blank. */
export function validateMatchConditions(
  conditions: readonly Received<MatchCondition>[],
  path: string,
  judge: (condition: Received<MatchCondition>, path: string) => FieldError[] = conditionErrors,
): FieldError[] {
  const names = conditions.map(({ name }) => text(name));
  const again = repeatedAt(names);
  const errors = conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : [];
  return [
    ...errors,
    ...conditions.flatMap((condition, index) => {
      const at = `${path}[${index}]`;
      const name = names[index] ?? "";
      return [
        ...(text(condition.expression).trim() === ""
          ? [required(`${at}.expression`)]
          : judge(condition, `${at}.expression`)),
        ...(name === "" ? [required(`${at}.name`)] : named(name, `${at}.name`, qualifiedNameErrors)),
        ...(name !== "" && again.has(index) ? [duplicate(`${at}.name`, name)] : []),
      ];
    }),
  ];
}

/** What is wrong with the conditions of webhooks, null for nothing: they are compiled ahead of their validation. */
const judged = new WeakMap<Received<MatchCondition>, string | null>();

/** Compiles the conditions of all webhooks of a configuration ahead, so that the validation that follows is fast. */
export function* webhookConditionSteps(
  configuration: ReceivedObject<ValidatingWebhookConfiguration | MutatingWebhookConfiguration>,
): Steps<void> {
  for (const hook of objects(configuration.webhooks)) {
    for (const condition of objects(hook.matchConditions)) {
      judged.set(condition, conditionError(condition));
      yield;
    }
  }
}

/** It is compiled without the spaces around it, and shown so. */
function conditionErrors(condition: Received<MatchCondition>, path: string): FieldError[] {
  const known = judged.get(condition);
  const error = known === undefined ? conditionError(condition) : known;
  return error === null ? [] : [invalidValue(path, text(condition.expression).trim(), error)];
}

function conditionError({ expression }: Received<MatchCondition>): string | null {
  const environment = expressionEnvironment({ params: false, authorizer: true });
  return compileExpression(environment, text(expression).trim(), [BOOL]).error ?? null;
}

const MUTATED_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Checks that the operations of a mutating policy do not include DELETE, which has no object to change. */
export function validateMutatedOperations(match: Received<MatchResources>, path: string): FieldError[] {
  return objects(match.resourceRules).flatMap(({ operations }) =>
    list(operations).flatMap((one) => oneOf(one, `${path}.resourceRules.operations`, MUTATED_OPERATIONS)),
  );
}

/** Validates a policy's matchConstraints or a binding's matchResources. */
export function validateMatchResources(match: Received<MatchResources>, path: string): FieldError[] {
  const { matchPolicy: policy } = match;
  const errors = absent(policy)
    ? [required(`${path}.matchPolicy`)]
    : oneOf(policy, `${path}.matchPolicy`, MATCH_POLICIES);
  for (const field of ["namespaceSelector", "objectSelector"] as const) {
    if (absent(match[field])) errors.push(required(`${path}.${field}`));
    else append(errors, validateSelector(match[field], `${path}.${field}`));
  }
  for (const field of ["resourceRules", "excludeResourceRules"] as const) {
    append(
      errors,
      objects(match[field]).flatMap((rule, index) => validateNamedRule(rule, `${path}.${field}[${index}]`)),
    );
  }
  return errors;
}

function validateNamedRule(rule: Received<NamedRuleWithOperations>, path: string): FieldError[] {
  const names = list(rule.resourceNames).map(text);
  const again = repeatedAt(names);
  const errors = names.flatMap((name, index) => {
    const at = `${path}.resourceNames[${index}]`;
    const wrong = named(name, at, pathSegmentErrors);
    return again.has(index) ? [...wrong, duplicate(at, name)] : wrong;
  });
  return [...errors, ...validateRuleWithOperations(rule, path)];
}
