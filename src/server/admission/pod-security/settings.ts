import {
  isLevel,
  isVersion,
  type Level,
  LEVEL_PROBLEM,
  type Mode,
  type Policy,
  type Standard,
  VERSION_PROBLEM,
} from "../../../api/pod-security/policy.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { duplicate, type FieldError, formatFieldErrors, invalidValue } from "../../../machinery/errors/field-error.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { PluginInitializationError } from "../configuration/admission-configuration.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { list, string, struct } from "../../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../../machinery/schema/schema.js";

/** A configuration that is complete and valid. */
export interface PodSecuritySettings {
  readonly defaults: Policy;
  readonly exempt: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

/** Validates the configuration. Throws a {@link PluginInitializationError} in kube-apiserver's words. */
export function podSecuritySettings({ defaults = {}, exemptions = {} }: PodSecurityConfiguration): PodSecuritySettings {
  const problems: string[] = [];
  const read = (mode: Mode): Standard => {
    const [level, version] = [defaults[mode] || "privileged", defaults[`${mode}-version`] || "latest"];
    if (!isLevel(level)) problems.push(`${mode}: ${LEVEL_PROBLEM}`);
    if (!isVersion(version)) problems.push(`${mode}-version: ${VERSION_PROBLEM}`);
    return { level: level as Level, version };
  };
  const [enforce, audit, warn] = [read("enforce"), read("audit"), read("warn")];
  if (problems.length > 0) {
    throw new PluginInitializationError(`PodSecurity configuration error: ${aggregateText(problems)}`);
  }
  const errors = exemptionErrors(exemptions);
  if (errors.length > 0) throw new PluginInitializationError(`PodSecurity invalid: ${formatFieldErrors(errors)}`);
  const { usernames, namespaces, runtimeClasses } = exemptions;
  return {
    defaults: { enforce, audit, warn },
    exempt: {
      usernames: new Set(usernames),
      namespaces: new Set(namespaces),
      runtimeClasses: new Set(runtimeClasses),
    },
  };
}

function exemptionErrors({ namespaces, runtimeClasses, usernames }: PodSecurityExemptions): readonly FieldError[] {
  const isEmpty = (name: string): string[] => (name === "" ? ["username must not be empty"] : []);
  return [
    ...nameErrors("exemptions.namespaces", namespaces, dns1123LabelErrors),
    ...nameErrors("exemptions.runtimeClasses", runtimeClasses, dns1123SubdomainErrors),
    ...nameErrors("exemptions.usernames", usernames, isEmpty),
  ];
}

function nameErrors(
  path: string,
  names: readonly string[] = [],
  rule: (name: string) => string[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const problems = rule(name);
    if (problems.length > 0) return [invalidValue(`${path}[${index}]`, name, problems.join(", "))];
    if (seen.has(name)) return [duplicate(`${path}[${index}]`, name)];
    seen.add(name);
    return [];
  });
}

/** The configuration of the plugin: PodSecurityConfiguration of pod-security.admission.config.k8s.io/v1. */
export interface PodSecurityConfiguration {
  /** What holds in namespaces whose labels do not say. Levels are "privileged" by default, versions "latest". */
  readonly defaults?: PodSecurityDefaults;
  /** What is never looked at. */
  readonly exemptions?: PodSecurityExemptions;
}

/** Levels are "privileged", "baseline" and "restricted"; versions are "latest" and "v1.N". */
export interface PodSecurityDefaults {
  readonly enforce?: string;
  readonly "enforce-version"?: string;
  readonly audit?: string;
  readonly "audit-version"?: string;
  readonly warn?: string;
  readonly "warn-version"?: string;
}

interface PodSecurityExemptions {
  /** Of the users that make the requests. */
  readonly usernames?: readonly string[];
  readonly namespaces?: readonly string[];
  /** Of the pods' spec.runtimeClassName. */
  readonly runtimeClasses?: readonly string[];
}

function formatOf(version: string): StructSchema {
  const typed = (name: string, fields: Readonly<Record<string, Schema>>): StructSchema => ({
    ...struct(name, fields),
    goType: `${version}.${name}`,
  });
  const defaults = typed("PodSecurityDefaults", {
    enforce: string,
    "enforce-version": string,
    audit: string,
    "audit-version": string,
    warn: string,
    "warn-version": string,
  });
  const names = list(string);
  const exemptions = typed("PodSecurityExemptions", { usernames: names, namespaces: names, runtimeClasses: names });
  return typed("PodSecurityConfiguration", { kind: string, apiVersion: string, defaults, exemptions });
}

const FORMAT: ConfigurationFormat = {
  group: "pod-security.admission.config.k8s.io",
  kind: "PodSecurityConfiguration",
  versions: new Map(["v1", "v1beta1", "v1alpha1"].map((version) => [version, formatOf(version)])),
  scheme: "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31",
};

/** Reads the configuration; an empty document has the defaults. Throws in apimachinery's words. */
export function readPodSecurityConfiguration(document: ConfigurationDocument): PodSecurityConfiguration {
  if (document.text === "") return {};
  const { defaults, exemptions } = decodeConfigurationStrictly<PodSecurityConfiguration>(document, FORMAT).object;
  return { ...(defaults && { defaults }), ...(exemptions && { exemptions }) };
}
