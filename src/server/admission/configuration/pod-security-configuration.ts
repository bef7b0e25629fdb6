import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { list, string, struct } from "../../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../../machinery/schema/schema.js";

/** As PodSecurityConfiguration of pod-security.admission.config.k8s.io/v1. */
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

export interface PodSecurityExemptions {
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

/** An empty document has the defaults. Throws in apimachinery's words. */
export function readPodSecurityConfiguration(document: ConfigurationDocument): PodSecurityConfiguration {
  if (document.text === "") return {};
  const { defaults, exemptions } = decodeConfigurationStrictly<PodSecurityConfiguration>(document, FORMAT).object;
  return { ...(defaults && { defaults }), ...(exemptions && { exemptions }) };
}
