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
import type { AuthorizationConfiguration, WebhookConfiguration } from "./configuration.js";

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
