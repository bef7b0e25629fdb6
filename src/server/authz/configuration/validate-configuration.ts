import { type Stats, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../../machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
} from "./load-configuration.js";
import { PathError } from "../../../base/files/path-error.js";
import { goDurationText } from "../../../client/rest/go-duration-text.js";
import { compileReviewCondition } from "../webhook/review-conditions.js";

/** The types of authorizers, in the order in which errors list them. */
const AUTHORIZER_TYPES = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];

/** Finds the faults of a configuration, in kube-apiserver's words and order. It checks that the files exist which it names. */
export function configurationFaults({ authorizers }: AuthorizationConfiguration): FieldError[] {
  if (authorizers.length === 0) {
    return [required("authorizers", "at least one authorization mode must be defined")];
  }
  const types = new Set<string>();
  const names = new Set<string>();
  return authorizers.flatMap((authorizer, index) => {
    const path = `authorizers[${index}]`;
    const { type } = authorizer;
    if (type === "") return [required(`${path}.type`)];
    if (!AUTHORIZER_TYPES.includes(type)) return [notSupported(`${path}.type`, type, AUTHORIZER_TYPES)];
    if (types.has(type) && type !== "Webhook") return [duplicate(`${path}.type`, type)];
    types.add(type);
    const faults = [...nameFaults(authorizer, names, `${path}.name`), ...ownFaults(authorizer, path)];
    names.add(authorizer.name);
    return faults;
  });
}

function nameFaults({ name }: AuthorizerConfiguration, taken: ReadonlySet<string>, path: string): FieldError[] {
  if (name === "") return [required(path)];
  if (taken.has(name)) return [duplicate(path, name)];
  const faults = dns1123SubdomainErrors(name);
  if (faults.length === 0) return [];
  return [invalidValue(path, name, `authorizer name is invalid: ${faults.join(", ")}`)];
}

function ownFaults({ type, webhook }: AuthorizerConfiguration, path: string): FieldError[] {
  if (type === "Webhook") {
    // kube-apiserver names a webhook's fields without `webhook`.
    return webhook === undefined
      ? [required(`${path}.webhook`, "required when type=Webhook")]
      : webhookFaults(webhook, path);
  }
  if (webhook === undefined) return [];
  return [invalidValue(`${path}.webhook`, "non-null", "may only be specified when type=Webhook")];
}

const LONGEST_CALL = 30_000;
const MOST_CONDITIONS = 64;

/** What is wrong with the webhook of an authorizer at `path`. */
function webhookFaults(webhook: WebhookConfiguration, path: string): FieldError[] {
  return [
    ...timeoutFaults(webhook.timeout, `${path}.timeout`),
    ...ttlFaults(webhook.authorizedTtl, `${path}.authorizedTTL`),
    ...ttlFaults(webhook.unauthorizedTtl, `${path}.unauthorizedTTL`),
    ...choiceFaults(webhook.subjectAccessReviewVersion, ["v1", "v1beta1"], `${path}.subjectAccessReviewVersion`),
    ...conditionVersionFaults(webhook, `${path}.matchConditionSubjectAccessReviewVersion`),
    ...choiceFaults(webhook.failurePolicy, ["NoOpinion", "Deny"], `${path}.failurePolicy`),
    ...connectionFaults(webhook.connectionInfo, `${path}.connectionInfo`),
    ...conditionFaults(webhook.matchConditions, `${path}.matchConditions`),
  ];
}

function timeoutFaults(timeout: number, path: string): FieldError[] {
  if (timeout === 0) return [required(path)];
  if (timeout > 0 && timeout <= LONGEST_CALL) return [];
  return [invalidValue(path, goDurationText(timeout), "must be > 0s and <= 30s")];
}

const ttlFaults = (ttl: number, path: string): FieldError[] =>
  ttl < 0 ? [invalidValue(path, goDurationText(ttl), "must be > 0s")] : [];

function choiceFaults(value: string, allowed: readonly string[], path: string): FieldError[] {
  if (value === "") return [required(path)];
  return allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}

function conditionVersionFaults(webhook: WebhookConfiguration, path: string): FieldError[] {
  const version = webhook.matchConditionSubjectAccessReviewVersion;
  if (version === "") {
    return webhook.matchConditions.length === 0 ? [] : [required(path, "required if match conditions are specified")];
  }
  return version === "v1" ? [] : [notSupported(path, version, ["v1"])];
}

function connectionFaults(
  { type, kubeConfigFile: file }: WebhookConfiguration["connectionInfo"],
  path: string,
): FieldError[] {
  const filePath = `${path}.kubeConfigFile`;
  switch (type) {
    case "":
      return [required(`${path}.type`)];
    case "InClusterConfig":
      return file === undefined
        ? [invalidValue(`${path}.type`, type, "an API server cannot ask itself; use KubeConfigFile")]
        : [invalidValue(filePath, file, "can only be set when type=KubeConfigFile")];
    case "KubeConfigFile":
      return file === undefined || file === "" ? [required(filePath)] : fileFaults(file, filePath);
    default:
      return [notSupported(`${path}.type`, type, ["InClusterConfig", "KubeConfigFile"])];
  }
}

function fileFaults(file: string, path: string): FieldError[] {
  if (!isAbsolute(file)) return [invalidValue(path, file, "must be an absolute path")];
  let found: Stats;
  try {
    found = statSync(file);
  } catch (error) {
    return [invalidValue(path, file, `error loading file: ${new PathError("stat", file, error).message}`)];
  }
  return found.isFile() ? [] : [invalidValue(path, file, "must be a regular file")];
}

function conditionFaults(conditions: WebhookConfiguration["matchConditions"], path: string): FieldError[] {
  if (conditions.length > MOST_CONDITIONS) return [tooMany(path, conditions.length, MOST_CONDITIONS)];
  const seen = new Set<string>();
  return conditions.flatMap(({ expression }, index) => {
    const at = `${path}[${index}].expression`;
    if (expression.trim() === "") return [required(at)];
    if (seen.has(expression)) return [duplicate(at, expression)];
    seen.add(expression);
    const { error } = compileReviewCondition(expression);
    return error === undefined ? [] : [invalidValue(at, expression, error)];
  });
}
