import type { FieldsOf } from "../../../machinery/meta/received.js";
import { inOrder } from "../../../base/async/turns.js";
import { targetName, type AdmissionPlugin, type AdmissionTarget } from "../plugin.js";
import type { QuotaEvaluator } from "./resource-quota/quota-evaluator.js";
import type { ScopedResourceSelectorRequirement } from "../../../api/types/core/v1.js";
import { type FieldError, formatFieldErrors, required } from "../../../machinery/errors/field-error.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { statedKind } from "../../../machinery/wire/stated-kind.js";
import { list, string, struct } from "../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";

/**
 * Charges what objects use to the ResourceQuotas of their namespace and refuses what does not fit. Idle while the cluster has no quota.
 * Throws in kube-apiserver's words for a configuration that cannot be used.
 */
export function resourceQuota(configuration: ResourceQuotaConfiguration = {}): AdmissionPlugin {
  checkResourceQuotaConfiguration(configuration);
  const { limitedResources = [] } = configuration;
  let evaluator: QuotaEvaluator | undefined;
  return {
    name: "ResourceQuota",
    handles: (operation, target) =>
      operation === "CREATE" ? isCounted(target) : operation === "UPDATE" && changesUsage(target),
    idle: ({ objects }) => limitedResources.length === 0 && objects.cached.now("", "resourcequotas")?.length === 0,
    async validate(attributes, context) {
      if (attributes.namespace === "") return;
      if (evaluator === undefined) {
        const { QuotaEvaluator } = await inOrder(import("./resource-quota/quota-evaluator.js"));
        evaluator ??= new QuotaEvaluator(limitedResources);
      }
      await evaluator.evaluate(attributes, context);
    },
  };
}

/** What quotas do not count: what is not stored, events, and namespaces, which are not in themselves. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "namespaces",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "tokenreviews.authentication.k8s.io",
]);

/** The updates that can change what an object uses. */
const CHANGING: ReadonlySet<string> = new Set([
  "persistentvolumeclaims",
  "persistentvolumeclaims/status",
  "pods/resize",
  "resourceclaims.resource.k8s.io",
  "services",
]);

const isCounted = (target: AdmissionTarget): boolean =>
  target.subresource === "" && !NOT_COUNTED.has(targetName(target));

const changesUsage = (target: AdmissionTarget): boolean => CHANGING.has(targetName(target));

/** The configuration of the plugin: a ResourceQuotaConfiguration of apiserver.config.k8s.io/v1. */
export interface ResourceQuotaConfiguration {
  readonly limitedResources?: readonly LimitedResource[];
}

/** A resource whose objects may use some amounts only if a quota of their namespace covers them. */
export interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Parts of the names of amounts: an amount with one of them in its name needs a quota that has it. */
  readonly matchContains?: readonly string[];
  /** An object in one of these scopes needs a quota of such a scope. */
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

/** Throws an Error in kube-apiserver's words for a configuration that cannot be used. */
function checkResourceQuotaConfiguration({ limitedResources = [] }: ResourceQuotaConfiguration): void {
  const errors: FieldError[] = [];
  for (const [index, { resource = "" }] of limitedResources.entries()) {
    if (resource === "") errors.push(required(`limitedResources[${index}].resource`));
  }
  if (errors.length > 0) throw new Error(formatFieldErrors(errors));
}

function configurationOf(version: string): StructSchema {
  const scope = struct("ScopedResourceSelectorRequirement", {
    scopeName: string,
    operator: string,
    values: list(string),
  } satisfies FieldsOf<ScopedResourceSelectorRequirement>);
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
