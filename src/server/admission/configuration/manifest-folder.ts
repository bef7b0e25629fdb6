import type { ServerGates } from "../../../api/gates/feature-gates.js";
import { forbiddenField, formatFieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { string, struct } from "../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ManifestFolder } from "../plugin.js";

/** The plugins whose webhooks or policies may be in manifest files. */
export const MANIFEST_PLUGINS = [
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
] as const;

export type ManifestPlugin = (typeof MANIFEST_PLUGINS)[number];

/** The gate of webhooks and policies from files (K37-108). */
const GATE = "ManifestBasedAdmissionControlConfig";

const FIELD = "staticManifestsDir";

function format(
  kind: string,
  versions: readonly string[],
  fields: readonly string[],
  scheme: string,
): ConfigurationFormat {
  const schema = (version: string): StructSchema => ({
    ...struct(kind, Object.fromEntries(["kind", "apiVersion", ...fields].map((name) => [name, string]))),
    goType: `${version}.${kind}`,
  });
  return {
    group: "apiserver.config.k8s.io",
    kind,
    versions: new Map(versions.map((version) => [version, schema(version)])),
    scheme,
  };
}

const WEBHOOKS = format(
  "WebhookAdmissionConfiguration",
  ["v1"],
  ["kubeConfigFile", FIELD],
  "pkg/admission/plugin/webhook/config/kubeconfig.go:34",
);
const ofPolicies = (kind: string): ConfigurationFormat =>
  format(kind, ["v1"], [FIELD], "pkg/admission/plugin/policy/config/config.go:32");

const FORMATS: Readonly<Record<ManifestPlugin, ConfigurationFormat>> = {
  MutatingAdmissionPolicy: ofPolicies("MutatingAdmissionPolicyConfiguration"),
  MutatingAdmissionWebhook: WEBHOOKS,
  ValidatingAdmissionPolicy: ofPolicies("ValidatingAdmissionPolicyConfiguration"),
  ValidatingAdmissionWebhook: WEBHOOKS,
};

/** Reads the folder that a document names for a plugin. A server whose gate is off ignores the document. Throws in kube-apiserver's words. */
export function readManifestFolder(
  plugin: ManifestPlugin,
  document: ConfigurationDocument,
  gates: ServerGates,
): ManifestFolder {
  if (!gates.enabled(GATE) || document.text === "") return {};
  const { object } = decodeConfigurationStrictly<{ readonly staticManifestsDir?: string }>(document, FORMATS[plugin]);
  const { staticManifestsDir = "" } = object;
  return staticManifestsDir === "" ? {} : { staticManifestsDir };
}

/** Returns the fault of a plugin's manifest folder that shows without reading it; undefined for none. */
export function manifestFolderFault(folder: string, gates: ServerGates): string | undefined {
  if (!gates.enabled(GATE)) {
    return formatFieldError(forbiddenField(FIELD, `${FIELD} requires the ${GATE} feature gate to be enabled`));
  }
  return folder.startsWith("/") ? undefined : folderFault(folder, "must be an absolute file path");
}

/** Formats the fault of a folder as a field error. */
export const folderFault = (folder: string, problem: string): string =>
  formatFieldError(invalidValue(FIELD, folder, problem));
