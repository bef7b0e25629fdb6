import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type {
  ExemptPriorityLevelConfiguration,
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
  UserSubject,
} from "../../types/flowcontrol/v1.js";
import { named, repeatedAt, sameValue } from "../rules.js";
import { bootstrapFlowControl } from "../../bootstrap/flow-control.js";
import { goJson } from "../go-shapes.js";

const MAX_PRECEDENCE = 10000;

export function validateFlowSchema(schema: ReceivedObject<FlowSchema>): FieldError[] {
  const spec = object(schema.spec);
  const precedence = number(spec.matchingPrecedence);
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(invalidValue("spec.matchingPrecedence", precedence, detail));
  if (precedence <= 0) refuse("must be a positive value");
  if (precedence > MAX_PRECEDENCE) refuse(`must not be greater than ${MAX_PRECEDENCE}`);
  if (precedence === 1 && schema.metadata?.name !== "exempt") {
    refuse("only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const method = spec.distinguisherMethod;
  if (isStruct(method) && method.type !== "ByNamespace" && method.type !== "ByUser") {
    const shown = { Type: text(method.type) };
    errors.push(notSupported("spec.distinguisherMethod.type", shown, ["ByNamespace", "ByUser"]));
  }
  const level = text(object(spec.priorityLevelConfiguration).name);
  const at = "spec.priorityLevelConfiguration.name";
  if (level === "") errors.push(required(at, "must reference a priority level"));
  else append(errors, named(level, at, dns1123SubdomainErrors));
  return [
    ...errors,
    ...objects(spec.rules).flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...validateMandatory(schema, "FlowSchema"),
    ...validateConditions(schema),
  ];
}

/** Conditions of both kinds. */
function validateConditions(subject: ReceivedObject<FlowSchema | PriorityLevelConfiguration>): FieldError[] {
  const types = objects(object(subject.status).conditions).map(({ type }) => text(type));
  const again = repeatedAt(types);
  return types.flatMap((type, index) => {
    const path = `status.conditions[${index}].type`;
    const twice = again.has(index) ? [duplicate(path, type)] : [];
    return type === "" ? [...twice, required(path, "must not be empty")] : twice;
  });
}

export { validateConditions as validateFlowControlStatus };

function validateRule(rule: Received<PolicyRulesWithSubjects>, path: string): FieldError[] {
  const subjects = objects(rule.subjects);
  const [resources, urls] = [objects(rule.resourceRules), objects(rule.nonResourceRules)];
  const errors = subjects.flatMap((subject, index) => validateSubject(subject, `${path}.subjects[${index}]`));
  if (subjects.length === 0) errors.push(required(`${path}.subjects`, "subjects must contain at least one value"));
  if (resources.length === 0 && urls.length === 0) {
    errors.push(required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  return [
    ...errors,
    ...resources.flatMap((resource, index) => validateResourceRule(resource, `${path}.resourceRules[${index}]`)),
    ...urls.flatMap((url, index) => validateUrlRule(url, `${path}.nonResourceRules[${index}]`)),
  ];
}

type SubjectField = Exclude<keyof Subject, "kind">;

const SUBJECTS: Readonly<Record<string, SubjectField>> = {
  ServiceAccount: "serviceAccount",
  User: "user",
  Group: "group",
};

function validateSubject(subject: Received<Subject>, path: string): FieldError[] {
  const kind = text(subject.kind);
  const field = Object.hasOwn(SUBJECTS, kind) ? SUBJECTS[kind] : undefined;
  if (field === undefined) return [notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"])];
  const others = Object.entries(SUBJECTS).filter(([other, name]) => other !== kind && !absent(subject[name]));
  const order = ["serviceAccount", "user", "group"];
  return [
    ...validateNamed(subject[field], field, kind, `${path}.${field}`),
    ...others
      .sort(([, a], [, b]) => order.indexOf(a) - order.indexOf(b))
      .map(([other, name]) =>
        forbiddenField(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`),
      ),
  ];
}

function validateNamed(
  value: Received<UserSubject & ServiceAccountSubject> | null | undefined,
  field: string,
  kind: string,
  path: string,
): FieldError[] {
  if (!isStruct(value)) return [required(path, `${field} is required when subject kind is '${kind}'`)];
  const name = text(value.name);
  const errors = name === "" ? [required(`${path}.name`)] : [];
  if (kind !== "ServiceAccount") return errors;
  if (name !== "" && name !== "*") append(errors, named(name, `${path}.name`, dns1123SubdomainErrors));
  const namespace = text(value.namespace);
  if (namespace !== "") return [...errors, ...named(namespace, `${path}.namespace`, dns1123LabelErrors)];
  return [...errors, required(`${path}.namespace`, "must specify namespace for service account")];
}

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function validateVerbs(verbs: readonly string[], path: string): FieldError[] {
  if (verbs.length === 0) return [required(path, "verbs must contain at least one value")];
  if (verbs.includes("*")) return alone(verbs, path, "verbs");
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(path, verbs, VERBS)];
}

/** "*" is all there is, or absent. */
function alone(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length < 2 || !values.includes("*")) return [];
  return [invalidValue(path, values, `if '*' is present, must not specify other ${what}`)];
}

function validateResourceRule(rule: Received<ResourcePolicyRule>, path: string): FieldError[] {
  const [groups, resources] = [list(rule.apiGroups).map(text), list(rule.resources).map(text)];
  const errors = validateVerbs(list(rule.verbs).map(text), `${path}.verbs`);
  if (groups.length === 0) {
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  append(errors, alone(groups, `${path}.apiGroups`, "api groups"));
  if (resources.length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  append(errors, alone(resources, `${path}.resources`, "resources"));
  return [...errors, ...validateNamespaces(rule, `${path}.namespaces`)];
}

function validateNamespaces(rule: Received<ResourcePolicyRule>, path: string): FieldError[] {
  const namespaces = list(rule.namespaces).map(text);
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = "resource rules that are not cluster scoped must supply at least one namespace";
    return [required(path, detail)];
  }
  if (namespaces.includes("*")) return alone(namespaces, path, "namespaces");
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((namespace, index) =>
    dns1123LabelErrors(namespace).map((message) => invalidValue(`${path}[${index}]`, namespace, intro + message)),
  );
}

function validateUrlRule(rule: Received<NonResourcePolicyRule>, path: string): FieldError[] {
  const urls = list(rule.nonResourceURLs).map(text);
  const at = `${path}.nonResourceURLs`;
  const errors = validateVerbs(list(rule.verbs).map(text), `${path}.verbs`);
  if (urls.length === 0) return [...errors, required(at, "nonResourceURLs must contain at least one value")];
  if (urls.includes("*")) return [...errors, ...alone(urls, at, "non-resource URLs")];
  return [...errors, ...urls.flatMap((url, index) => validateUrl(url, `${at}[${index}]`))];
}

function validateUrl(url: string, path: string): FieldError[] {
  const problem = urlProblem(url);
  return problem === undefined ? [] : [invalidValue(path, url, problem)];
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined;
}

export function validatePriorityLevel(level: ReceivedObject<PriorityLevelConfiguration>): FieldError[] {
  const spec = object(level.spec);
  const name = level.metadata?.name ?? "";
  const errors: FieldError[] = [];
  if ((name === "exempt") !== (spec.type === "Exempt")) {
    errors.push(invalidValue("spec.type", text(spec.type), "type must be 'Exempt' if and only if name is 'exempt'"));
  }
  return [
    ...errors,
    ...validateLevelType(spec),
    ...validateMandatory(level, "PriorityLevelConfiguration"),
    ...validateConditions(level),
  ];
}

function validateLevelType(spec: Received<PriorityLevelConfigurationSpec>): FieldError[] {
  const { exempt, limited } = spec;
  const type: string = text(spec.type);
  switch (type) {
    case "Exempt":
      return [
        ...(isStruct(limited) ? [forbiddenField("spec.limited", "must be nil if the type is not Limited")] : []),
        ...(isStruct(exempt) ? validateShares(exempt, "spec.exempt") : [EXEMPT_MISSING]),
      ];
    case "Limited":
      return [
        ...(isStruct(exempt) ? [forbiddenField("spec.exempt", "must be nil if the type is Limited")] : []),
        ...(isStruct(limited)
          ? validateLimited(limited, "spec.limited")
          : [required("spec.limited", "must not be empty when type is Limited")]),
      ];
    default:
      return [notSupported("spec.type", type, ["Exempt", "Limited"])];
  }
}

const EXEMPT_MISSING = required("spec.exempt", "must not be empty when type is Exempt");

function validateShares(
  shares: Received<ExemptPriorityLevelConfiguration | LimitedPriorityLevelConfiguration>,
  path: string,
): FieldError[] {
  const [nominal, lendable] = [shares.nominalConcurrencyShares, shares.lendablePercent];
  const errors: FieldError[] = [];
  if (!absent(nominal) && number(nominal) < 0) {
    const detail = "must be a non-negative integer";
    errors.push(invalidValue(`${path}.nominalConcurrencyShares`, nominal, detail));
  }
  if (!absent(lendable) && (number(lendable) < 0 || number(lendable) > 100)) {
    errors.push(invalidValue(`${path}.lendablePercent`, lendable, "must be between 0 and 100, inclusive"));
  }
  return errors;
}

function validateLimited(limited: Received<LimitedPriorityLevelConfiguration>, path: string): FieldError[] {
  const errors = [...validateShares(limited, path), ...validateResponse(object(limited.limitResponse), path)];
  const borrowing = limited.borrowingLimitPercent;
  if (absent(borrowing) || number(borrowing) >= 0) return errors;
  const detail = "if specified, must be a non-negative integer";
  return [...errors, invalidValue(`${path}.borrowingLimitPercent`, borrowing, detail)];
}

function validateResponse(response: Received<LimitResponse>, limited: string): FieldError[] {
  const path = `${limited}.limitResponse`;
  const { queuing } = response;
  const type: string = text(response.type);
  switch (type) {
    case "Reject": {
      const detail = "must be nil if limited.limitResponse.type is not Limited";
      return isStruct(queuing) ? [forbiddenField(`${path}.queuing`, detail)] : [];
    }
    case "Queue": {
      const detail = "must not be empty if limited.limitResponse.type is Limited";
      return isStruct(queuing) ? validateQueuing(queuing, `${path}.queuing`) : [required(`${path}.queuing`, detail)];
    }
    default:
      return [notSupported(`${path}.type`, text(response.type), ["Queue", "Reject"])];
  }
}

const MAX_QUEUES = 10_000_000;
const MAX_HASH_BITS = 60;

function validateQueuing(queuing: Received<QueuingConfiguration>, path: string): FieldError[] {
  const [limit, queues, hand] = (["queueLengthLimit", "queues", "handSize"] as const).map((field) =>
    number(queuing[field]),
  );
  const errors: FieldError[] = [];
  const refuse = (field: keyof QueuingConfiguration, detail: string) =>
    errors.push(invalidValue(`${path}.${field}`, number(queuing[field]), detail));
  if ((limit ?? 0) <= 0) refuse("queueLengthLimit", "must be positive");
  const [decks = 0, cards = 0] = [queues, hand];
  if (decks <= 0) refuse("queues", "must be positive");
  else if (decks > MAX_QUEUES) refuse("queues", `must not be greater than ${MAX_QUEUES}`);
  if (cards <= 0) refuse("handSize", "must be positive");
  else if (cards > decks) refuse("handSize", `should not be greater than queues (${decks})`);
  else if (Math.ceil(Math.log2(decks) * cards) > MAX_HASH_BITS) {
    const needs = `required entropy bits of deckSize ${decks} and handSize ${cards}`;
    refuse("handSize", `${needs} should not be greater than ${MAX_HASH_BITS}`);
  }
  return errors;
}

/** Without these two, some requests would have no place; "exempt" may still say how much it lends. */
const MANDATORY = ["exempt", "catch-all"];

/** What must be as it was made: the flow schemas and priority levels that every request falls to in the end. */
function validateMandatory(
  subject: ReceivedObject<FlowSchema | PriorityLevelConfiguration>,
  kind: "FlowSchema" | "PriorityLevelConfiguration",
): FieldError[] {
  const name = subject.metadata?.name ?? "";
  if (!MANDATORY.includes(name)) return [];
  const fixed = bootstrapFlowControl().find((one) => one.kind === kind && one.metadata?.name === name);
  const spec = object(subject.spec);
  const lends = kind === "PriorityLevelConfiguration" && name === "exempt";
  if (sameValue(lends ? withoutExempt(spec) : spec, lends ? withoutExempt(fixed?.spec) : fixed?.spec)) return [];
  const exception = lends ? " except the 'spec.exempt' field" : "";
  return [
    invalidValue("spec", goJson(`${kind}Spec`, spec), `spec of '${name}'${exception} must equal the fixed value`),
  ];
}

function withoutExempt(spec: unknown): object {
  return {
    ...(typeof spec === "object" ? spec : {}),
    exempt: undefined,
  } satisfies FieldsOf<PriorityLevelConfigurationSpec>;
}
