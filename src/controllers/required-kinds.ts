import type { ControllerName } from "../api/controllers/index.js";

/** A kind that a controller reads or writes: "apps/v1" and "Deployment". */
export type RequiredKind = readonly [apiVersion: string, kind: string];

const JOBS: RequiredKind = ["batch/v1", "Job"];
const REQUESTS: RequiredKind = ["certificates.k8s.io/v1", "CertificateSigningRequest"];
const REVISIONS: RequiredKind = ["apps/v1", "ControllerRevision"];
const SETS: RequiredKind = ["apps/v1", "ReplicaSet"];
const SLICES: RequiredKind = ["discovery.k8s.io/v1", "EndpointSlice"];
const CLASSES: RequiredKind = ["storage.k8s.io/v1", "StorageClass"];

/** The kinds without which a controller cannot work, beside those of the core group, which every server has. */
const REQUIRED: Readonly<Partial<Record<ControllerName, readonly RequiredKind[]>>> = {
  "certificatesigningrequest-approving-controller": [REQUESTS, ["authorization.k8s.io/v1", "SubjectAccessReview"]],
  "certificatesigningrequest-cleaner-controller": [REQUESTS],
  "certificatesigningrequest-signing-controller": [REQUESTS],
  "clusterrole-aggregation-controller": [["rbac.authorization.k8s.io/v1", "ClusterRole"]],
  "cronjob-controller": [["batch/v1", "CronJob"], JOBS],
  "daemonset-controller": [["apps/v1", "DaemonSet"], REVISIONS],
  "deployment-controller": [["apps/v1", "Deployment"], SETS],
  "device-taint-eviction-controller": [
    ["resource.k8s.io/v1", "ResourceClaim"],
    ["resource.k8s.io/v1", "ResourceSlice"],
  ],
  "disruption-controller": [["policy/v1", "PodDisruptionBudget"]],
  "endpointslice-controller": [SLICES],
  "endpointslice-mirroring-controller": [SLICES],
  "horizontal-pod-autoscaler-controller": [["autoscaling/v2", "HorizontalPodAutoscaler"]],
  "job-controller": [JOBS],
  "node-lifecycle-controller": [["coordination.k8s.io/v1", "Lease"]],
  "persistentvolume-attach-detach-controller": [
    ["storage.k8s.io/v1", "CSIDriver"],
    ["storage.k8s.io/v1", "VolumeAttachment"],
  ],
  "persistentvolume-binder-controller": [CLASSES],
  "replicaset-controller": [SETS],
  "resourceclaim-controller": [
    ["resource.k8s.io/v1", "ResourceClaim"],
    ["resource.k8s.io/v1", "ResourceClaimTemplate"],
  ],
  "service-cidr-controller": [
    ["networking.k8s.io/v1", "ServiceCIDR"],
    ["networking.k8s.io/v1", "IPAddress"],
  ],
  "statefulset-controller": [["apps/v1", "StatefulSet"], REVISIONS],
  "storageversion-garbage-collector-controller": [
    ["internal.apiserver.k8s.io/v1alpha1", "StorageVersion"],
    ["coordination.k8s.io/v1", "Lease"],
  ],
  "ttl-after-finished-controller": [JOBS],
  "validatingadmissionpolicy-status-controller": [
    ["admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ],
  "volumeattributesclass-protection-controller": [["storage.k8s.io/v1", "VolumeAttributesClass"]],
};

/** Kinds of which one is enough: which there are depends on the server's version of Kubernetes. */
const ONE_OF: Readonly<Partial<Record<ControllerName, readonly RequiredKind[]>>> = {
  "podgroup-protection-controller": [
    ["scheduling.k8s.io/v1beta1", "PodGroup"],
    ["scheduling.k8s.io/v1alpha2", "PodGroup"],
  ],
  "storage-version-migrator-controller": [
    ["storagemigration.k8s.io/v1", "StorageVersionMigration"],
    ["storagemigration.k8s.io/v1beta1", "StorageVersionMigration"],
  ],
};

/** The kinds that a controller needs and the server does not serve. */
export function missingKinds(
  controller: ControllerName,
  serves: (apiVersion: string, kind: string) => boolean,
): readonly RequiredKind[] {
  const isMissing = ([apiVersion, kind]: RequiredKind): boolean => !serves(apiVersion, kind);
  const alternatives = ONE_OF[controller] ?? [];
  return [...(REQUIRED[controller] ?? []).filter(isMissing), ...(alternatives.every(isMissing) ? alternatives : [])];
}
