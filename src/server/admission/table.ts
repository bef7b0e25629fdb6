import type { ServerGates } from "../../api/gates/feature-gates.js";
import type { ConfigurationDocument } from "../../machinery/wire/configuration-document.js";
import { type PodSecurityConfiguration, readPodSecurityConfiguration } from "./pod-security/settings.js";
import { type ManifestPlugin, readManifestFolder } from "./configuration/manifest-folder.js";
import type { AdmissionPlugin, ManifestFolder } from "./plugin.js";
import { alwaysAdmit, alwaysDeny } from "./plugins/always-admit-or-deny.js";
import { alwaysPullImages } from "./plugins/always-pull-images.js";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from "./plugins/certificates.js";
import { defaultIngressClass, defaultStorageClass } from "./plugins/default-classes.js";
import {
  defaultTolerationSeconds,
  type DefaultTolerationSecondsConfiguration,
  extendedResourceToleration,
} from "./plugins/tolerations.js";
import { denyServiceExternalIPs } from "./plugins/deny-service-external-ips.js";
import {
  imagePolicyWebhook,
  type ImagePolicyWebhookConfiguration,
  readImagePolicyWebhookConfiguration,
} from "./plugins/image-policy-webhook.js";
import { limitPodHardAntiAffinityTopology } from "./plugins/limit-pod-hard-anti-affinity-topology.js";
import { jobValidation } from "./plugins/job-validation.js";
import {
  eventRateLimit,
  type EventRateLimitConfiguration,
  readEventRateLimitConfiguration,
} from "./plugins/event-rate-limit.js";
import { limitRanger } from "./plugins/limit-ranger.js";
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "./plugins/admission-policies.js";
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from "./plugins/admission-webhooks.js";
import { namespaceAutoProvision, namespaceExists, namespaceLifecycle } from "./plugins/namespaces.js";
import { nodeDeclaredFeatureValidator } from "./plugins/node-declared-feature-validator.js";
import { persistentVolumeClaimResize } from "./plugins/persistent-volume-claim-resize.js";
import { podGroupProtection, podGroupWorkloadExists } from "./plugins/pod-groups.js";
import { podResizeValidator } from "./plugins/pod-resize-validator.js";
import { podSecurity } from "./plugins/pod-security.js";
import { nodeRestriction } from "./plugins/node-restriction.js";
import { ownerReferencesPermissionEnforcement } from "./plugins/owner-references-permission-enforcement.js";
import {
  podNodeSelector,
  type PodNodeSelectorConfiguration,
  readPodNodeSelectorConfiguration,
} from "./plugins/pod-node-selector.js";
import {
  podTolerationRestriction,
  type PodTolerationRestrictionConfiguration,
  readPodTolerationRestrictionConfiguration,
} from "./plugins/pod-toleration-restriction.js";
import { podTopologyLabels } from "./plugins/pod-topology-labels.js";
import { priority } from "./plugins/priority.js";
import { runtimeClass } from "./plugins/runtime-class.js";
import {
  resourceQuota,
  type ResourceQuotaConfiguration,
  readResourceQuotaConfiguration,
} from "./plugins/resource-quota.js";
import { serviceAccount } from "./plugins/service-account.js";
import { taintNodesByCondition } from "./plugins/taint-nodes-by-condition.js";
import { storageObjectInUseProtection } from "./plugins/storage-object-in-use-protection.js";

/** The configuration of the plugins that have one, by their names. */
export interface AdmissionConfiguration {
  readonly DefaultTolerationSeconds?: DefaultTolerationSecondsConfiguration;
  readonly PodSecurity?: PodSecurityConfiguration;
  readonly ImagePolicyWebhook?: ImagePolicyWebhookConfiguration;
  readonly PodNodeSelector?: PodNodeSelectorConfiguration;
  readonly PodTolerationRestriction?: PodTolerationRestrictionConfiguration;
  readonly EventRateLimit?: EventRateLimitConfiguration;
  readonly ResourceQuota?: ResourceQuotaConfiguration;
  readonly MutatingAdmissionPolicy?: ManifestFolder;
  readonly MutatingAdmissionWebhook?: ManifestFolder;
  readonly ValidatingAdmissionPolicy?: ManifestFolder;
  readonly ValidatingAdmissionWebhook?: ManifestFolder;
}

export interface AdmissionRow {
  readonly name: string;
  /** Whether the plugin runs when the options do not name it. */
  readonly enabled: boolean;
  readonly phase: "mutating" | "validating" | "both";
  /** Makes the plugin for a server that runs it. */
  readonly plugin: (configuration: AdmissionConfiguration) => AdmissionPlugin;
  /** The fields of the plugin's configuration. Left out: it has none. */
  readonly configuration?: readonly string[];
  /**
   * The plugin's part of the configuration, of the document that an AdmissionConfiguration has for it. Called once, at the start
   * of a server that runs the plugin, and not for one without such a document. Throws an Error in the plugin's own words for a
   * document that it cannot take. Left out: what a file has for the plugin is ignored, as kube-apiserver does.
   */
  readonly readConfiguration?: (
    document: PluginDocument,
    gates: ServerGates,
  ) => AdmissionConfiguration | Promise<AdmissionConfiguration>;
}

/** The configuration of one plugin as a file has it. */
export interface PluginDocument extends ConfigurationDocument {
  /** A file that the document names, as text. Rejects in Go's words: "open PATH: no such file or directory". */
  readFile(path: string): Promise<string>;
}

const on = (
  name: string,
  phase: AdmissionRow["phase"],
  plugin: AdmissionPlugin | AdmissionRow["plugin"],
): AdmissionRow => ({ name, enabled: true, phase, plugin: typeof plugin === "function" ? plugin : () => plugin });

const off = (...row: Parameters<typeof on>): AdmissionRow => ({ ...on(...row), enabled: false });

/** A plugin whose webhooks or policies files may have. */
const withManifests = (
  name: ManifestPlugin,
  phase: AdmissionRow["phase"],
  plugin: (folder?: ManifestFolder) => AdmissionPlugin,
): AdmissionRow => ({
  ...on(name, phase, (configuration) => plugin(configuration[name])),
  configuration: ["staticManifestsDir"],
  readConfiguration: (document, gates) => ({ [name]: readManifestFolder(name, document, gates) }),
});

/**
 * Kubernetes' admission plugins in running order; within each phase the plugins run in the order of this table. Order and
 * defaults are those of AllOrderedPlugins and DefaultOffAdmissionPlugins in pkg/kubeapiserver/options/plugins.go, read from
 * its main branch in 2026; the plugins that are on, and their order, are those that `kube-apiserver --help` of 1.36.1 lists.
 * The phases are those of each plugin's interfaces. No row moves.
 */
export const ADMISSION_PLUGINS: readonly AdmissionRow[] = [
  off("AlwaysAdmit", "both", alwaysAdmit),
  off("NamespaceAutoProvision", "mutating", namespaceAutoProvision),
  on("NamespaceLifecycle", "mutating", namespaceLifecycle),
  off("NamespaceExists", "validating", namespaceExists),
  off("LimitPodHardAntiAffinityTopology", "validating", limitPodHardAntiAffinityTopology),
  on("LimitRanger", "both", () => limitRanger()),
  on("ServiceAccount", "both", serviceAccount),
  off("NodeRestriction", "mutating", nodeRestriction),
  on("TaintNodesByCondition", "mutating", taintNodesByCondition),
  off("AlwaysPullImages", "both", alwaysPullImages),
  {
    ...off("ImagePolicyWebhook", "validating", (configuration) => imagePolicyWebhook(configuration.ImagePolicyWebhook)),
    configuration: ["client", "allowTTL", "denyTTL", "retryBackoff", "defaultAllow"],
    readConfiguration: async (document) => ({
      ImagePolicyWebhook: await readImagePolicyWebhookConfiguration(document),
    }),
  },
  {
    ...on("PodSecurity", "validating", (configuration) => podSecurity(configuration.PodSecurity)),
    configuration: ["defaults", "exemptions"],
    readConfiguration: (document) => ({ PodSecurity: readPodSecurityConfiguration(document) }),
  },
  {
    ...off("PodNodeSelector", "both", (configuration) => podNodeSelector(configuration.PodNodeSelector)),
    configuration: ["podNodeSelectorPluginConfig"],
    readConfiguration: (document) => ({ PodNodeSelector: readPodNodeSelectorConfiguration(document) }),
  },
  on("Priority", "both", priority),
  {
    ...on("DefaultTolerationSeconds", "mutating", (configuration) =>
      defaultTolerationSeconds(configuration.DefaultTolerationSeconds),
    ),
    configuration: ["defaultNotReadyTolerationSeconds", "defaultUnreachableTolerationSeconds"],
  },
  {
    ...off("PodTolerationRestriction", "both", (configuration) =>
      podTolerationRestriction(configuration.PodTolerationRestriction),
    ),
    configuration: ["default", "whitelist"],
    readConfiguration: (document) => ({
      PodTolerationRestriction: readPodTolerationRestrictionConfiguration(document),
    }),
  },
  {
    ...off("EventRateLimit", "validating", (configuration) => eventRateLimit(configuration.EventRateLimit)),
    configuration: ["limits"],
    readConfiguration: (document) => ({ EventRateLimit: readEventRateLimitConfiguration(document) }),
  },
  off("ExtendedResourceToleration", "mutating", extendedResourceToleration),
  on("DefaultStorageClass", "mutating", defaultStorageClass),
  on("StorageObjectInUseProtection", "mutating", storageObjectInUseProtection),
  on("PodGroupProtection", "mutating", podGroupProtection),
  off("OwnerReferencesPermissionEnforcement", "validating", ownerReferencesPermissionEnforcement),
  on("PersistentVolumeClaimResize", "validating", persistentVolumeClaimResize),
  on("RuntimeClass", "both", runtimeClass),
  on("CertificateApproval", "validating", certificateApproval),
  on("CertificateSigning", "validating", certificateSigning),
  on("ClusterTrustBundleAttest", "validating", clusterTrustBundleAttest),
  on("CertificateSubjectRestriction", "validating", certificateSubjectRestriction),
  on("DefaultIngressClass", "mutating", defaultIngressClass),
  off("DenyServiceExternalIPs", "validating", denyServiceExternalIPs),
  on("PodTopologyLabels", "mutating", podTopologyLabels),
  on("PodGroupWorkloadExists", "validating", podGroupWorkloadExists),
  on("NodeDeclaredFeatureValidator", "validating", nodeDeclaredFeatureValidator),
  on("JobValidation", "validating", jobValidation),
  on("PodResizeValidator", "validating", podResizeValidator),
  withManifests("MutatingAdmissionPolicy", "mutating", mutatingAdmissionPolicy),
  withManifests("MutatingAdmissionWebhook", "mutating", mutatingAdmissionWebhook),
  withManifests("ValidatingAdmissionPolicy", "validating", validatingAdmissionPolicy),
  withManifests("ValidatingAdmissionWebhook", "validating", validatingAdmissionWebhook),
  {
    ...on("ResourceQuota", "validating", (configuration) => resourceQuota(configuration.ResourceQuota)),
    configuration: ["limitedResources"],
    readConfiguration: (document) => ({ ResourceQuota: readResourceQuotaConfiguration(document) }),
  },
  off("AlwaysDeny", "both", alwaysDeny),
];
