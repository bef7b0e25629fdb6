import { append } from "../../../base/collections/append.js";
import { duplicate, type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  absent,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "../../types/admissionregistration/v1.js";
import { named, oneOf, repeatedAt, sameValue } from "../rules.js";
import { type SelectorRules, selectorRulesFor, validateSelector } from "../label-selector.js";
import {
  FAILURE_POLICIES,
  MATCH_POLICIES,
  validateMatchConditions,
  validateRuleWithOperations,
} from "./admission-rules.js";
import { validateWebhookService, validateWebhookUrl } from "./webhook-client.js";

/** What an update forgives because the configuration had it already. */
interface Forgiven {
  readonly sideEffects: boolean;
  readonly reviewVersions: boolean;
  readonly sameNames: boolean;
  readonly conditions: boolean;
  readonly selectors: SelectorRules;
}

const NOTHING: Forgiven = {
  sideEffects: false,
  reviewVersions: false,
  sameNames: false,
  conditions: false,
  selectors: {},
};

/** Validates a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export function validateWebhookConfiguration(
  configuration: ReceivedObject<ValidatingWebhookConfiguration | MutatingWebhookConfiguration>,
): FieldError[] {
  return validateWebhooks(objects(configuration.webhooks), NOTHING);
}

export function validateWebhookConfigurationUpdate(
  configuration: ReceivedObject<ValidatingWebhookConfiguration | MutatingWebhookConfiguration>,
  old: ReceivedObject<ValidatingWebhookConfiguration | MutatingWebhookConfiguration>,
): FieldError[] {
  const [webhooks, before] = [objects(configuration.webhooks), objects(old.webhooks)];
  const names = before.map(({ name }) => text(name));
  return validateWebhooks(webhooks, {
    sideEffects: before.some((hook) => !NO_EFFECTS.includes(text(hook.sideEffects))),
    reviewVersions: before.some(({ admissionReviewVersions: versions }) => {
      const listed = list(versions).map(text);
      return listed.length > 0 && !listed.some(isReviewVersion);
    }),
    sameNames: new Set(names).size < names.length,
    conditions:
      webhooks.length === before.length &&
      webhooks.every((hook, index) => sameValue(hook.matchConditions, before[index]?.matchConditions)),
    selectors: selectorRulesFor(before.flatMap((hook) => [hook.namespaceSelector, hook.objectSelector])),
  });
}

function validateWebhooks(
  webhooks: readonly Received<ValidatingWebhook & MutatingWebhook>[],
  forgiven: Forgiven,
): FieldError[] {
  const seen = new Set<string>();
  return webhooks.flatMap((hook, index) => {
    const path = `webhooks[${index}]`;
    const name = text(hook.name);
    const errors = [
      ...validateWebhook(hook, path, forgiven),
      ...validateReviewVersions(list(hook.admissionReviewVersions).map(text), path, forgiven),
    ];
    if (!forgiven.sameNames && name !== "" && seen.has(name)) errors.push(duplicate(`${path}.name`, name));
    seen.add(name);
    return errors;
  });
}

const ALL_EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const NO_EFFECTS = ["None", "NoneOnDryRun"];

function validateWebhook(
  hook: Received<ValidatingWebhook & MutatingWebhook>,
  path: string,
  forgiven: Forgiven,
): FieldError[] {
  const effects = forgiven.sideEffects ? ALL_EFFECTS : NO_EFFECTS;
  const timeout = hook.timeoutSeconds;
  const errors = [
    ...fullyQualifiedName(text(hook.name), `${path}.name`),
    ...objects(hook.rules).flatMap((rule, index) => validateRuleWithOperations(rule, `${path}.rules[${index}]`)),
    ...oneOf(hook.failurePolicy, `${path}.failurePolicy`, FAILURE_POLICIES),
    ...oneOf(hook.matchPolicy, `${path}.matchPolicy`, MATCH_POLICIES),
  ];
  if (absent(hook.sideEffects)) {
    errors.push(required(`${path}.sideEffects`, `must specify one of ${effects.join(", ")}`));
  }
  append(errors, oneOf(hook.sideEffects, `${path}.sideEffects`, effects));
  if (!absent(timeout) && (number(timeout) < 1 || number(timeout) > 30)) {
    const detail = "the timeout value must be between 1 and 30 seconds";
    errors.push(invalidValue(`${path}.timeoutSeconds`, timeout, detail));
  }
  append(
    errors,
    validateSelector(hook.namespaceSelector, `${path}.namespaceSelector`, forgiven.selectors),
    validateSelector(hook.objectSelector, `${path}.objectSelector`, forgiven.selectors),
    oneOf(hook.reinvocationPolicy, `${path}.reinvocationPolicy`, ["IfNeeded", "Never"]),
    validateClientConfig(object(hook.clientConfig), `${path}.clientConfig`),
  );
  if (forgiven.conditions) return errors;
  return [...errors, ...validateMatchConditions(objects(hook.matchConditions), `${path}.matchConditions`)];
}

function validateClientConfig(config: Received<WebhookClientConfig>, path: string): FieldError[] {
  if (absent(config.url) === absent(config.service)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (!absent(config.url)) return validateWebhookUrl(text(config.url), `${path}.url`);
  return validateWebhookService(object(config.service), `${path}.service`);
}

/** A domain of three parts at least. */
function fullyQualifiedName(name: string, path: string): FieldError[] {
  if (name === "") return [required(path)];
  const wrong = dns1123SubdomainErrors(name);
  if (wrong.length > 0) return [invalidValue(path, name, wrong.join(","))];
  if (name.split(".").length >= 3) return [];
  return [invalidValue(path, name, "should be a domain with at least three segments separated by dots")];
}

const REVIEW_VERSIONS = ["v1", "v1beta1"];

const isReviewVersion = (version: string): boolean => REVIEW_VERSIONS.includes(version);

function validateReviewVersions(versions: readonly string[], hook: string, forgiven: Forgiven): FieldError[] {
  const path = `${hook}.admissionReviewVersions`;
  if (versions.length === 0) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(", ")}`)];
  const again = repeatedAt(versions);
  const errors = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`;
    if (again.has(index)) return [invalidValue(at, version, "duplicate version")];
    return named(version, at, dns1035LabelErrors);
  });
  if (forgiven.reviewVersions || versions.some(isReviewVersion)) return errors;
  const detail = `must include at least one of ${REVIEW_VERSIONS.join(", ")}`;
  return [...errors, invalidValue(path, versions, detail)];
}
