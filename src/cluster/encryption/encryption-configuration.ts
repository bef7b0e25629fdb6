import { parseGoDuration } from "../../base/text/go-literals.js";
import { goQuote } from "../../base/text/go-quote.js";
import { type FieldError, invalidValue, required } from "../../machinery/errors/field-error.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { Schema } from "../../machinery/schema/schema.js";
import { canonicalizeBase64 } from "../../machinery/text/go/go-base64.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../machinery/wire/configuration-document.js";
import { fileScalar, fileStruct, TEXT, TYPE_META } from "../../server/authz/file-schema.js";
import {
  type EncryptedResources,
  type EncryptionConfiguration,
  type EncryptionKey,
  type EncryptionProvider,
  type KmsConfiguration,
  parseGroupResource,
} from "../../server/storage/encryption/configuration.js";

const listOf = (items: Schema): Schema => ({ type: "list", items });
const keyList = listOf(fileStruct("v1.Key", { name: TEXT, secret: TEXT }));
const keys = fileStruct("v1.AESConfiguration", { keys: keyList });
const kms = fileStruct("v1.KMSConfiguration", {
  apiVersion: TEXT,
  name: TEXT,
  cachesize: fileScalar("int32"),
  endpoint: TEXT,
  timeout: fileScalar("duration"),
});
const identity = fileStruct("v1.IdentityConfiguration", {});
const provider = fileStruct("v1.ProviderConfiguration", {
  aesgcm: keys,
  aescbc: keys,
  secretbox: fileStruct("v1.SecretboxConfiguration", { keys: keyList }),
  identity,
  kms,
});

const schema = fileStruct("v1.EncryptionConfiguration", {
  ...TYPE_META,
  resources: listOf(fileStruct("v1.ResourceConfiguration", { resources: listOf(TEXT), providers: listOf(provider) })),
});

const FORMAT: ConfigurationFormat = {
  group: "apiserver.config.k8s.io",
  kind: "EncryptionConfiguration",
  versions: new Map([["v1", schema]]),
  scheme: "k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go:142",
};

/** What the kind was called before Kubernetes 1.13, which kube-apiserver still reads. */
const FORMER_KIND = { group: "", kind: "EncryptionConfig" };

const isFormerKind = ({ value }: ConfigurationDocument): boolean =>
  isJsonObject(value) && value["kind"] === FORMER_KIND.kind && value["apiVersion"] === "v1";

/** Decodes an EncryptionConfiguration, strictly. Throws in kube-apiserver's words; the values of the fields are validated later. */
export function decodeEncryptionConfiguration(document: ConfigurationDocument): EncryptionConfiguration {
  const format = isFormerKind(document) ? { ...FORMAT, ...FORMER_KIND } : FORMAT;
  const { object } = decodeConfigurationStrictly<Partial<EncryptionConfiguration>>(document, format);
  return { resources: object.resources ?? [] };
}

/** Finds all faults of a configuration, in kube-apiserver's words and order. Values of keys are not shown. */
export function encryptionErrors(
  { resources = [] }: Partial<EncryptionConfiguration>,
  reloads: boolean,
): readonly FieldError[] {
  if (resources.length === 0) return [required("resources", "at least one resources is required")];
  const names = new Set<string>();
  return resources.flatMap((entry, index) => entryErrors(entry, `resources[${index}]`, names, reloads));
}

function entryErrors(
  { resources = [], providers = [] }: Partial<EncryptedResources>,
  path: string,
  names: Set<string>,
  reloads: boolean,
): readonly FieldError[] {
  const [ofResources, ofProviders] = [`${path}.resources`, `${path}.providers`];
  const missing = (field: string) => required(field, `at least one ${field} is required`);
  return [
    ...(resources.length === 0 ? [missing(ofResources)] : []),
    ...overlapErrors(resources, ofResources),
    ...resources.flatMap((resource, index) => resourceErrors(resource, `${ofResources}[${index}]`)),
    ...(providers.length === 0 ? [missing(ofProviders)] : []),
    ...providers.flatMap((one, index) => providerErrors(one, `${ofProviders}[${index}]`, names, reloads)),
  ];
}

function overlapErrors(resources: readonly string[], path: string): readonly FieldError[] {
  const parsed = resources.map(parseGroupResource);
  const overlaps = parsed.some((one, index) =>
    parsed.some((other, place) => {
      if (index === place || (one.group === other.group && one.resource === other.resource)) return false;
      if (one.group === "*" && one.resource === "*") return true;
      return one.group === other.group && (one.resource === "*" || other.resource === "*");
    }),
  );
  return [
    ...(new Set(resources.map(canonicalName)).size < resources.length
      ? [invalidValue(path, resources, "the same resource cannot be specified multiple times")]
      : []),
    ...(overlaps
      ? [
          invalidValue(
            path,
            resources,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ];
}

const canonicalName = (text: string): string => {
  const { group, resource } = parseGroupResource(text);
  return `${resource}.${group}`;
};

function resourceErrors(text: string, path: string): readonly FieldError[] {
  const fault = resourceFault(text);
  return fault === undefined ? [] : [invalidValue(path, text, fault)];
}

const WITHOUT_API: ReadonlySet<string> = new Set([
  "apiserveripinfo",
  "serviceipallocations",
  "servicenodeportallocations",
]);

function resourceFault(text: string): string | undefined {
  if (text.toLowerCase() !== text) return "resource name should not contain capital letters";
  if (text === "*") {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (WITHOUT_API.has(text)) return "resources which do not have REST API/s cannot be encrypted";
  const { group, resource } = parseGroupResource(text);
  if (group === "events.k8s.io") {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (group === "extensions") return "'extensions' group has been removed and cannot be used for encryption";
  if (group === "*" && resource !== "*") return "encrypting the same resource across groups is not supported";
  return undefined;
}

const AES_SIZES = [16, 24, 32];
const SECRETBOX_SIZES = [32];

function providerErrors(
  given: EncryptionProvider,
  path: string,
  names: Set<string>,
  reloads: boolean,
): readonly FieldError[] {
  const { aesgcm, aescbc, secretbox, identity: none, kms: service } = given;
  const count = [aesgcm, aescbc, secretbox, none, service].filter((one) => isGiven(one)).length;
  const faults =
    count === 1
      ? []
      : [
          invalidValue(
            path,
            shown(given),
            count === 0
              ? "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity"
              : "more than one provider specified in a single element, should split into different list elements",
          ),
        ];
  if (isGiven(service)) return [...faults, ...kmsErrors(service, `${path}.kms`, names, reloads)];
  if (isGiven(aesgcm)) return [...faults, ...keysErrors(aesgcm.keys, `${path}.aesgcm.keys`, AES_SIZES)];
  if (isGiven(aescbc)) return [...faults, ...keysErrors(aescbc.keys, `${path}.aescbc.keys`, AES_SIZES)];
  if (isGiven(secretbox)) return [...faults, ...keysErrors(secretbox.keys, `${path}.secretbox.keys`, SECRETBOX_SIZES)];
  return faults;
}

/** YAML's null is no provider. */
const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;

/** As Go prints the type, whose fields have other names there, without the keys' values. */
const shown = ({ aesgcm, aescbc, secretbox, identity: none, kms: service }: EncryptionProvider): object => {
  const withoutSecrets = (given: EncryptionProvider["aesgcm"]): object | null =>
    isGiven(given) ? { Keys: given.keys.map(({ name }) => ({ Name: name, Secret: "[REDACTED]" })) } : null;
  return {
    AESGCM: withoutSecrets(aesgcm),
    AESCBC: withoutSecrets(aescbc),
    Secretbox: withoutSecrets(secretbox),
    Identity: isGiven(none) ? {} : null,
    KMS: isGiven(service) ? { Name: service.name, Endpoint: service.endpoint } : null,
  };
};

function keysErrors(
  given: readonly Partial<EncryptionKey>[] | undefined,
  path: string,
  sizes: readonly number[],
): readonly FieldError[] {
  if (given === undefined || given.length === 0) return [required(path, "at least one keys is required")];
  return given.flatMap((key, index) => keyErrors(key, `${path}[${index}]`, sizes));
}

function keyErrors(
  { name = "", secret = "" }: Partial<EncryptionKey>,
  path: string,
  sizes: readonly number[],
): readonly FieldError[] {
  const faults = name === "" ? [required(`${path}.name`, "name is a mandatory field for a key")] : [];
  const place = `${path}.secret`;
  if (secret === "") return [...faults, required(place, "secret is a mandatory field for a key")];
  const bytes = decodedSecret(secret);
  if (bytes === undefined) return [...faults, invalidValue(place, "REDACTED", "secrets must be base64 encoded")];
  if (sizes.includes(bytes.length)) return faults;
  const detail = `secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(" ")}]`;
  return [...faults, invalidValue(place, "REDACTED", detail)];
}

/** A key's value; undefined where it is no base64. */
function decodedSecret(secret: string): Uint8Array | undefined {
  try {
    return Buffer.from(canonicalizeBase64(secret), "base64");
  } catch {
    return undefined;
  }
}

function kmsErrors(
  given: Partial<KmsConfiguration>,
  path: string,
  names: Set<string>,
  reloads: boolean,
): readonly FieldError[] {
  const { name = "", endpoint = "", cachesize, timeout = "3s" } = given;
  const apiVersion = given.apiVersion || "v1";
  const faults: FieldError[] = [];
  const isV1 = apiVersion === "v1";
  if (name === "") faults.push(required(`${path}.name`, "name is a mandatory field for a provider"));
  if (!isV1 && name.includes(":")) {
    faults.push(invalidValue(`${path}.name`, name, `invalid KMS provider name ${name}, must not contain ':'`));
  }
  if ((reloads || !isV1) && names.has(name)) {
    faults.push(invalidValue(`${path}.name`, name, `duplicate KMS provider name ${name}, names must be unique`));
  }
  names.add(name);
  if ((parseGoDuration(timeout) ?? 0) <= 0) {
    faults.push(invalidValue(`${path}.timeout`, timeout, "timeout should be a positive value"));
  }
  faults.push(...endpointErrors(endpoint, `${path}.endpoint`));
  if (!isV1 && isGiven(cachesize)) {
    faults.push(invalidValue(`${path}.cachesize`, cachesize, "cachesize is not supported in v2"));
  }
  if (isV1 && cachesize === 0) {
    faults.push(invalidValue(`${path}.cachesize`, 0, "cachesize should be a positive value, or negative to disable"));
  }
  if (apiVersion !== "v1" && apiVersion !== "v2") {
    const detail = "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported";
    faults.push(invalidValue(`${path}.apiVersion`, apiVersion, detail));
  }
  return faults;
}

function endpointErrors(endpoint: string, path: string): readonly FieldError[] {
  if (endpoint === "") return [invalidValue(path, "", "endpoint is a mandatory field for a kms")];
  const [, scheme] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint) ?? [];
  if (scheme?.toLowerCase() !== "unix") {
    const detail = `unsupported scheme ${goQuote(scheme ?? "")} for KMS provider, only unix is supported`;
    return [invalidValue(path, endpoint, detail)];
  }
  // Node's sockets have names in the file system.
  if (/^unix:(\/\/)?\/?@/i.test(endpoint)) {
    return [invalidValue(path, endpoint, "invalid endpoint for kms provider, error: the socket must be a file")];
  }
  return [];
}
