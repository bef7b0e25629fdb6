import { errorMessage } from "../../../base/text/error-message.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { formatFieldErrors } from "../../../machinery/errors/field-error.js";
import { configurationFaults } from "./validate-configuration.js";
import { parseGoDuration } from "../../../base/text/go-literals.js";
import { goQuote } from "../../../base/text/go-quote.js";
import {
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { decodeManifest } from "../../../machinery/text/yaml/documents.js";
import { readConfigurationDocument } from "../../../machinery/text/yaml/configuration-document.js";
import { fileScalar, fileStruct, FLAG, TEXT, TYPE_META } from "../file-schema.js";

/** An AuthorizationConfiguration of apiserver.config.k8s.io, with its defaults. Times are in milliseconds. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

export interface AuthorizerConfiguration {
  /** "Webhook", "Node", "RBAC", "ABAC", "AlwaysAllow" or "AlwaysDeny", once it is validated. */
  readonly type: string;
  readonly name: string;
  readonly webhook: WebhookConfiguration | undefined;
}

export interface WebhookConfiguration {
  readonly authorizedTtl: number;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTtl: number;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeout: number;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  readonly failurePolicy: string;
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile: string | undefined };
  readonly matchConditions: readonly { readonly expression: string }[];
}

/**
 * The configuration in a file's bytes. Throws an Error that says, in kube-apiserver's words, what is wrong: that the file cannot be
 * decoded, or which fields cannot be right, or which types of `requiredTypes` are missing.
 */
export function loadConfiguration(
  bytes: Uint8Array,
  requiredTypes: ReadonlySet<string> = new Set(),
): AuthorizationConfiguration {
  const configuration = decoded(bytes);
  const faults = configurationFaults(configuration);
  if (faults.length > 0) throw new Error(formatFieldErrors(faults));
  const errors = [...nameErrors(configuration), ...missingErrors(configuration, requiredTypes)];
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return configuration;
}

/** The types of which there can be one authorizer. A reload may neither remove nor add such an authorizer. */
export const fixedTypesOf = ({ authorizers }: AuthorizationConfiguration): ReadonlySet<string> =>
  new Set(authorizers.map(({ type }) => type).filter((type) => type !== "Webhook"));

function decoded(bytes: Uint8Array): AuthorizationConfiguration {
  try {
    return decodeConfiguration(bytes);
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(`failed to load AuthorizationConfiguration from file: ${why}`, { cause: error });
  }
}

/** All but webhooks have the name of their type. */
const nameErrors = ({ authorizers }: AuthorizationConfiguration): string[] =>
  authorizers
    .filter(({ type, name }) => type !== "Webhook" && name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);

function missingErrors(configuration: AuthorizationConfiguration, requiredTypes: ReadonlySet<string>): string[] {
  const present = fixedTypesOf(configuration);
  const missing = [...requiredTypes].filter((type) => !present.has(type)).sort();
  return missing.length === 0 ? [] : [`missing required types: [${missing.join(" ")}]`];
}

const KIND = "AuthorizationConfiguration";

const DURATION = fileScalar("duration");

/** The versions have the same fields. */
const schemaOf = (version: string) => {
  const connectionInfo = fileStruct(`${version}.WebhookConnectionInfo`, { type: TEXT, kubeConfigFile: TEXT });
  const condition = fileStruct(`${version}.WebhookMatchCondition`, { expression: TEXT });
  const webhook = fileStruct(`${version}.WebhookConfiguration`, {
    authorizedTTL: DURATION,
    cacheAuthorizedRequests: FLAG,
    unauthorizedTTL: DURATION,
    cacheUnauthorizedRequests: FLAG,
    timeout: DURATION,
    subjectAccessReviewVersion: TEXT,
    matchConditionSubjectAccessReviewVersion: TEXT,
    failurePolicy: TEXT,
    connectionInfo,
    matchConditions: { type: "list", items: condition },
  });
  const authorizer = fileStruct(`${version}.AuthorizerConfiguration`, { type: TEXT, name: TEXT, webhook });
  return fileStruct(`${version}.${KIND}`, { ...TYPE_META, authorizers: { type: "list", items: authorizer } });
};

const FORMAT: ConfigurationFormat = {
  group: "apiserver.config.k8s.io",
  kind: KIND,
  versions: new Map(["v1", "v1beta1", "v1alpha1"].map((version) => [version, schemaOf(version)])),
  scheme: "k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32",
};

const DEFAULT_AUTHORIZED_TTL = 300_000;
const DEFAULT_UNAUTHORIZED_TTL = 30_000;

/**
 * Reads a configuration, YAML or JSON, strictly: an unknown field, and one that is set twice, is an error. Throws an Error in
 * apimachinery's words. Empty bytes are a configuration without authorizers.
 */
export function decodeConfiguration(bytes: Uint8Array): AuthorizationConfiguration {
  if (bytes.length === 0) return { authorizers: [] };
  const document = readConfigurationDocument(decodeManifest(bytes));
  const { object: read } = decodeConfigurationStrictly<JsonObject>(document, FORMAT);
  return {
    authorizers: objects(read["authorizers"]).map((one) => ({
      type: text(one["type"]),
      name: text(one["name"]),
      webhook: one["webhook"] === undefined ? undefined : webhookOf(object(one["webhook"])),
    })),
  };
}

function webhookOf(read: ReadonlyFields): WebhookConfiguration {
  const { type, kubeConfigFile } = object(read["connectionInfo"]);
  return {
    authorizedTtl: duration(read["authorizedTTL"]) || DEFAULT_AUTHORIZED_TTL,
    cacheAuthorizedRequests: read["cacheAuthorizedRequests"] !== false,
    unauthorizedTtl: duration(read["unauthorizedTTL"]) || DEFAULT_UNAUTHORIZED_TTL,
    cacheUnauthorizedRequests: read["cacheUnauthorizedRequests"] !== false,
    timeout: duration(read["timeout"]),
    subjectAccessReviewVersion: text(read["subjectAccessReviewVersion"]),
    matchConditionSubjectAccessReviewVersion: text(read["matchConditionSubjectAccessReviewVersion"]),
    failurePolicy: text(read["failurePolicy"]),
    connectionInfo: {
      type: text(type),
      kubeConfigFile: typeof kubeConfigFile === "string" ? kubeConfigFile : undefined,
    },
    matchConditions: objects(read["matchConditions"]).map(({ expression }) => ({ expression: text(expression) })),
  };
}

/** Milliseconds; 0 for none. */
function duration(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const milliseconds = parseGoDuration(text(value));
  if (milliseconds !== undefined) return milliseconds;
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text(value));
  throw new Error(`time: ${isNumber ? "missing unit in" : "invalid"} duration ${goQuote(text(value))}`);
}
