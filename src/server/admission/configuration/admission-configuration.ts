import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
  UnknownConfigurationError,
} from "../../../machinery/wire/configuration-document.js";
import { statedKind } from "../../../machinery/wire/stated-kind.js";
import { isJsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import { anyJson, list, string, struct } from "../../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../../machinery/schema/schema.js";

/** The entry for one plugin in an AdmissionConfiguration. */
export interface PluginEntry {
  readonly name: string;
  /** A file; a relative name is below the folder of the file that holds the entry. */
  readonly path?: string;
  /** The configuration itself; it goes before {@link path}. */
  readonly configuration?: JsonValue;
}

interface WireConfiguration {
  readonly plugins?: readonly Partial<PluginEntry>[];
}

function admissionConfiguration(version: string): StructSchema {
  const typed = (name: string, fields: Readonly<Record<string, Schema>>): StructSchema => ({
    ...struct(name, fields),
    goType: `${version}.${name}`,
  });
  const plugin = typed("AdmissionPluginConfiguration", { name: string, path: string, configuration: anyJson });
  return typed("AdmissionConfiguration", { kind: string, apiVersion: string, plugins: list(plugin) });
}

/** v1alpha1 is of another group than v1. */
const format = (group: string, version: string): ConfigurationFormat => ({
  group,
  kind: "AdmissionConfiguration",
  versions: new Map([[version, admissionConfiguration(version)]]),
  scheme: "pkg/server/options/admission.go:51",
});
const ALPHA = format("apiserver.k8s.io", "v1alpha1");
const FORMAT = format("apiserver.config.k8s.io", "v1");

/** Plugins whose configuration once was the whole file, without a kind, and the key that shows it. */
const LEGACY = { ImagePolicyWebhook: "imagePolicy", PodNodeSelector: "podNodeSelectorPluginConfig" };

/**
 * Decodes an AdmissionConfiguration to the configurations of its plugins, the first entry for each. A file without a kind that
 * contains the configuration of ImagePolicyWebhook or of PodNodeSelector applies to both. Throws in apimachinery's words with the
 * field.
 */
export function decodeAdmissionConfiguration(document: ConfigurationDocument): ReadonlyMap<string, PluginEntry> {
  const entries = new Map<string, PluginEntry>();
  for (const { name = "", ...entry } of pluginsOf(document)) {
    if (!entries.has(name)) entries.set(name, { name, ...entry });
  }
  return entries;
}

function pluginsOf(document: ConfigurationDocument): readonly Partial<PluginEntry>[] {
  try {
    return decodeConfigurationStrictly<WireConfiguration>(document, formatOf(document)).object.plugins ?? [];
  } catch (error) {
    if (error instanceof UnknownConfigurationError && isLegacy(document)) {
      return Object.keys(LEGACY).map((name) => ({ name, configuration: document.value }));
    }
    throw error;
  }
}

const formatOf = ({ value }: ConfigurationDocument): ConfigurationFormat =>
  statedKind(value).group === ALPHA.group ? ALPHA : FORMAT;

const isLegacy = ({ value }: ConfigurationDocument): boolean =>
  isJsonObject(value) && Object.values(LEGACY).some((key) => Object.hasOwn(value, key));

/**
 * Makes the error, in kube-apiserver's words, with which a server refuses to start: an admission plugin cannot be created with its
 * configuration.
 */
export const admissionFailure = (message: string): Error => new Error(`failed to apply admission: ${message}`);

/**
 * A configuration that could be read and that a plugin cannot work with. A plugin's function in the table throws it; what else it
 * throws means that the plugin could not be made at all.
 */
export class PluginInitializationError extends Error {
  override readonly name = "PluginInitializationError";
}
