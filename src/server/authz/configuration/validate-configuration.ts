import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { AuthorizationConfiguration, AuthorizerConfiguration } from "./configuration.js";
import { webhookFaults } from "./validate-webhook.js";

/** The types of authorizers, in the order in which errors list them. */
const AUTHORIZER_TYPES = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];

/** What is wrong with a configuration, in kube-apiserver's words and order. Looks for the files that it names. */
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
