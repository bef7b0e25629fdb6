import type { ConfigurationDocument } from "../../machinery/codec/configuration-document.js";
import type { AdmissionPlugin } from "./plugin.js";
import { alwaysAdmit } from "./plugins/always-admit.js";
import { alwaysDeny } from "./plugins/always-deny.js";
import {
  defaultTolerationSeconds,
  type DefaultTolerationSecondsConfiguration,
} from "./plugins/default-toleration-seconds.js";
import { eventRateLimit } from "./plugins/event-rate-limit.js";
import type { EventRateLimitConfiguration } from "./plugins/event-rate-limit/configuration.js";
import { readEventRateLimitConfiguration } from "./plugins/event-rate-limit/read-configuration.js";
import { limitRanger } from "./plugins/limit-ranger.js";
import { mutatingAdmissionPolicy } from "./plugins/mutating-admission-policy.js";
import { mutatingAdmissionWebhook } from "./plugins/mutating-admission-webhook.js";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle.js";
import { priority } from "./plugins/priority.js";
import { resourceQuota } from "./plugins/resource-quota.js";
import type { ResourceQuotaConfiguration } from "./plugins/resource-quota/configuration.js";
import { readResourceQuotaConfiguration } from "./plugins/resource-quota/read-configuration.js";
import { serviceAccount } from "./plugins/service-account.js";
import { validatingAdmissionPolicy } from "./plugins/validating-admission-policy.js";
import { validatingAdmissionWebhook } from "./plugins/validating-admission-webhook.js";

/** The configuration of the plugins that have one, by their names. */
export interface AdmissionConfiguration {
  readonly DefaultTolerationSeconds?: DefaultTolerationSecondsConfiguration;
  readonly EventRateLimit?: EventRateLimitConfiguration;
  readonly ResourceQuota?: ResourceQuotaConfiguration;
}

export interface AdmissionRow {
  readonly name: string;
  /** Whether the plugin runs when the options do not name it. */
  readonly enabled: boolean;
  readonly phase: "mutating" | "validating" | "both";
  readonly plugin: "not yet" | ((configuration: AdmissionConfiguration) => AdmissionPlugin);
  /** The fields of the plugin's configuration. Left out: it has none. */
  readonly configuration?: readonly string[];
  /**
   * The plugin's part of the configuration, of the document that an AdmissionConfiguration has for it. Called once, at the start
   * of a server that runs the plugin, and not for one without such a document. Throws an Error in the plugin's own words for a
   * document that it cannot take. Left out: what a file has for the plugin is ignored, as kube-apiserver does.
   */
  readonly readConfiguration?: (document: PluginDocument) => AdmissionConfiguration | Promise<AdmissionConfiguration>;
}

/** The configuration of one plugin as a file has it. */
export interface PluginDocument extends ConfigurationDocument {
  /** A file that the document names, as text. Rejects in Go's words: "open PATH: no such file or directory". */
  readFile(path: string): Promise<string>;
}

const on = (name: string, phase: AdmissionRow["phase"], plugin?: AdmissionPlugin): AdmissionRow => ({
  name,
  enabled: true,
  phase,
  plugin: plugin === undefined ? "not yet" : () => plugin,
});

const off = (name: string, phase: AdmissionRow["phase"], plugin?: AdmissionPlugin): AdmissionRow => ({
  ...on(name, phase, plugin),
  enabled: false,
});

/**
 * Kubernetes' admission plugins in running order; within each phase the plugins run in the order of this table. Order and
 * defaults are those of AllOrderedPlugins and DefaultOffAdmissionPlugins in pkg/kubeapiserver/options/plugins.go, read from
 * its main branch in 2026; the plugins that are on, and their order, are those that `kube-apiserver --help` of 1.36.1 lists.
 * The phases are those of each plugin's interfaces. To build a plugin, fill its row; never move one.
 */
export const ADMISSION_PLUGINS: readonly AdmissionRow[] = [
  off("AlwaysAdmit", "both", alwaysAdmit),
  off("NamespaceAutoProvision", "mutating"),
  on("NamespaceLifecycle", "mutating", namespaceLifecycle),
  off("NamespaceExists", "validating"),
  off("LimitPodHardAntiAffinityTopology", "validating"),
  { ...on("LimitRanger", "both"), plugin: () => limitRanger() },
  on("ServiceAccount", "both", serviceAccount),
  off("NodeRestriction", "mutating"),
  on("TaintNodesByCondition", "mutating"),
  off("AlwaysPullImages", "both"),
  off("ImagePolicyWebhook", "validating"),
  on("PodSecurity", "validating"),
  off("PodNodeSelector", "both"),
  on("Priority", "both", priority),
  {
    ...on("DefaultTolerationSeconds", "mutating"),
    plugin: (configuration) => defaultTolerationSeconds(configuration.DefaultTolerationSeconds),
    configuration: ["defaultNotReadyTolerationSeconds", "defaultUnreachableTolerationSeconds"],
  },
  off("PodTolerationRestriction", "both"),
  {
    ...off("EventRateLimit", "validating"),
    plugin: (configuration) => eventRateLimit(configuration.EventRateLimit),
    configuration: ["limits"],
    readConfiguration: (document) => ({ EventRateLimit: readEventRateLimitConfiguration(document) }),
  },
  off("ExtendedResourceToleration", "mutating"),
  on("DefaultStorageClass", "mutating"),
  on("StorageObjectInUseProtection", "mutating"),
  on("PodGroupProtection", "mutating"),
  off("OwnerReferencesPermissionEnforcement", "validating"),
  on("PersistentVolumeClaimResize", "validating"),
  on("RuntimeClass", "both"),
  on("CertificateApproval", "validating"),
  on("CertificateSigning", "validating"),
  on("ClusterTrustBundleAttest", "validating"),
  on("CertificateSubjectRestriction", "validating"),
  on("DefaultIngressClass", "mutating"),
  off("DenyServiceExternalIPs", "validating"),
  on("PodTopologyLabels", "mutating"),
  on("PodGroupWorkloadExists", "validating"),
  on("NodeDeclaredFeatureValidator", "validating"),
  on("JobValidation", "validating"),
  on("PodResizeValidator", "validating"),
  { ...on("MutatingAdmissionPolicy", "mutating"), plugin: () => mutatingAdmissionPolicy() },
  { ...on("MutatingAdmissionWebhook", "mutating"), plugin: () => mutatingAdmissionWebhook() },
  { ...on("ValidatingAdmissionPolicy", "validating"), plugin: () => validatingAdmissionPolicy() },
  { ...on("ValidatingAdmissionWebhook", "validating"), plugin: () => validatingAdmissionWebhook() },
  {
    ...on("ResourceQuota", "validating"),
    plugin: (configuration) => resourceQuota(configuration.ResourceQuota),
    configuration: ["limitedResources"],
    readConfiguration: (document) => ({ ResourceQuota: readResourceQuotaConfiguration(document) }),
  },
  off("AlwaysDeny", "both", alwaysDeny),
];
