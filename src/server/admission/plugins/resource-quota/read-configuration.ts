import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../../machinery/wire/configuration-document.js";
import { statedKind } from "../../../../machinery/wire/stated-kind.js";
import { list, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";
import type { ResourceQuotaConfiguration } from "./configuration.js";

function configurationOf(version: string): StructSchema {
  const scope = struct("ScopedResourceSelectorRequirement", {
    scopeName: string,
    operator: string,
    values: list(string),
  });
  const limited = struct("LimitedResource", {
    apiGroup: string,
    resource: string,
    matchContains: list(string),
    matchScopes: list({ ...scope, goType: "v1.ScopedResourceSelectorRequirement" }),
  });
  const configuration = struct("Configuration", {
    kind: string,
    apiVersion: string,
    limitedResources: list({ ...limited, goType: `${version}.LimitedResource` }),
  });
  return { ...configuration, goType: `${version}.Configuration` };
}

const format = (group: string, kind: string, versions: readonly string[]): ConfigurationFormat => ({
  group,
  kind,
  versions: new Map(versions.map((version) => [version, configurationOf(version)])),
  scheme: "pkg/admission/plugin/resourcequota/config.go:31",
});

const CURRENT = format("apiserver.config.k8s.io", "ResourceQuotaConfiguration", ["v1"]);
/** The names that the kind had before. */
const FORMER = format("resourcequota.admission.k8s.io", "Configuration", ["v1beta1", "v1alpha1"]);

/** Throws in apimachinery's words for a document that is no configuration of the plugin. */
export function readResourceQuotaConfiguration(document: ConfigurationDocument): ResourceQuotaConfiguration {
  const isFormer = statedKind(document.value).group === FORMER.group;
  const { object } = decodeConfigurationStrictly<ResourceQuotaConfiguration>(document, isFormer ? FORMER : CURRENT);
  return { limitedResources: object.limitedResources ?? [] };
}
