import { inOrder } from "../../../base/async/turns.js";
import { targetName, type AdmissionPlugin, type AdmissionTarget } from "../plugin.js";
import { checkResourceQuotaConfiguration, type ResourceQuotaConfiguration } from "./resource-quota/configuration.js";
import type { QuotaEvaluator } from "./resource-quota/quota-evaluator.js";

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
