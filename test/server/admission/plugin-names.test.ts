import { describe, expect, test } from "vitest";
import { ADMISSION_PLUGINS } from "../../../src/server/admission/table.js";

/** What `kube-apiserver --help` of 1.36 lists, sorted, as the names that --enable-admission-plugins takes. */
const NAMES = [
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "JobValidation",
  "LimitPodHardAntiAffinityTopology",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NamespaceLifecycle",
  "NodeDeclaredFeatureValidator",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeClaimResize",
  "PodGroupProtection",
  "PodGroupWorkloadExists",
  "PodNodeSelector",
  "PodResizeValidator",
  "PodSecurity",
  "PodTolerationRestriction",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
];

/** Off unless they are enabled, sorted. */
const OFF = [
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction",
];

/** Names that Kubernetes had once and 1.36 does not know. */
const GONE = [
  "DenyEscalatingExec",
  "DenyExecOnPrivileged",
  "InitialResources",
  "Initializers",
  "PersistentVolumeLabel",
  "PodPreset",
  "PodSecurityPolicy",
  "SecurityContextDeny",
];

const names = ADMISSION_PLUGINS.map(({ name }) => name);
const place = (name: string): number => names.indexOf(name);

describe("the names of admission plugins", () => {
  test("are those of 1.36, each once", () => {
    expect(names.toSorted()).toEqual(NAMES);
  });

  test("are disabled by default as in 1.36", () => {
    const off = ADMISSION_PLUGINS.filter(({ enabled }) => !enabled).map(({ name }) => name);
    expect(off.toSorted()).toEqual(OFF);
  });

  test.each(GONE)("do not include %s, which 1.36 refuses as unknown", (name) => {
    expect(names).not.toContain(name);
  });

  const order: readonly (readonly [title: string, first: string, then: string])[] = [
    ["a namespace is made before it is looked for", "NamespaceAutoProvision", "NamespaceLifecycle"],
    ["limits are filled in before the quota counts", "LimitRanger", "ResourceQuota"],
    ["a pod has its service account before it is judged", "ServiceAccount", "PodSecurity"],
    ["a claim has its class before its growth is judged", "DefaultStorageClass", "PersistentVolumeClaimResize"],
    ["a pod has its usual tolerations before those of its RuntimeClass", "DefaultTolerationSeconds", "RuntimeClass"],
    ["topology labels are copied before webhooks see a pod", "PodTopologyLabels", "MutatingAdmissionWebhook"],
    ["what a node lacks is said before its size", "NodeDeclaredFeatureValidator", "PodResizeValidator"],
    ["policies change an object before webhooks do", "MutatingAdmissionPolicy", "MutatingAdmissionWebhook"],
    ["policies judge an object before webhooks do", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook"],
    ["the quota counts what all others took", "ValidatingAdmissionWebhook", "ResourceQuota"],
    ["everything runs before AlwaysDeny", "ResourceQuota", "AlwaysDeny"],
  ];
  test.each(order)("stand in the order of which %s", (_, first, then) => {
    expect(place(first)).toBeGreaterThanOrEqual(0);
    expect(place(first)).toBeLessThan(place(then));
  });
});
