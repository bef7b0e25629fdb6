import { type FieldSpec, mergeSpecs } from "../field-spec.js";
import type { Gvk } from "../id.js";

/*
 * Which fields kustomize 5.8 changes by itself. A row names kinds ("apps/Deployment", "v1:Service": group and version only where
 * they matter), where in them a pod template is ("" for a pod), and the paths below that; "+" before a path: what is missing is made.
 */

const POD = "v1:Pod";
const TEMPLATE = "spec/template/";
const CRON_TEMPLATE = "spec/jobTemplate/spec/template/";

/** Kinds with a pod template, and where it is. */
const WORKLOADS = ["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job"];

function parseKind(text: string): Gvk {
  const [, group = "", version = "", kind = ""] = /^(?:([a-z.0-9/]+)\/)?(?:([a-z0-9]+):)?(\w*)$/.exec(text) ?? [];
  return { group, version, kind };
}

const specs = (kinds: string, ...paths: readonly string[]): readonly FieldSpec[] =>
  kinds
    .split(" ")
    .flatMap((kind) =>
      paths.map((path) => ({ ...parseKind(kind), path: path.replace(/^\+/, ""), create: path.startsWith("+") })),
    );

/** The same paths below each kind's pod template; a pod has them itself. */
function inPods(kinds: readonly string[], paths: readonly string[]): readonly FieldSpec[] {
  return kinds.flatMap((kind) => {
    const prefix =
      kind === "CronJob" ? CRON_TEMPLATE : kind === "PodTemplate" ? "template/" : kind.endsWith("Pod") ? "" : TEMPLATE;
    return specs(kind, ...paths.map((path) => `${prefix}${path}`));
  });
}

const affinity = ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
  `spec/template/spec/affinity/${kind}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
  `spec/template/spec/affinity/${kind}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
]);

const metadataLabels: readonly FieldSpec[] = [
  ...specs("", "+metadata/labels"),
  ...specs(
    "v1:ReplicationController Deployment ReplicaSet DaemonSet apps/StatefulSet",
    "+spec/template/metadata/labels",
  ),
  ...specs("apps/StatefulSet", "+spec/volumeClaimTemplates[]/metadata/labels"),
  ...specs("batch/Job", "+spec/template/metadata/labels"),
  ...specs("batch/CronJob", "+spec/jobTemplate/metadata/labels", "+spec/jobTemplate/spec/template/metadata/labels"),
];

const networkPolicy = ["spec/podSelector", "spec/ingress/from/podSelector", "spec/egress/to/podSelector"];

const commonLabels: readonly FieldSpec[] = [
  ...specs("v1:Service v1:ReplicationController", "+spec/selector"),
  ...specs("Deployment ReplicaSet DaemonSet apps/StatefulSet", "+spec/selector/matchLabels"),
  ...specs(
    "apps/Deployment apps/StatefulSet",
    ...affinity,
    "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels",
  ),
  ...specs("batch/Job policy/PodDisruptionBudget", "spec/selector/matchLabels"),
  ...specs("batch/CronJob", "spec/jobTemplate/spec/selector/matchLabels"),
  ...specs("networking.k8s.io/NetworkPolicy", ...networkPolicy.map((path) => `${path}/matchLabels`)),
  ...metadataLabels,
];

const commonAnnotations: readonly FieldSpec[] = [
  ...specs("", "+metadata/annotations"),
  ...specs(
    "v1:ReplicationController Deployment ReplicaSet DaemonSet StatefulSet batch/Job",
    "+spec/template/metadata/annotations",
  ),
  ...specs(
    "batch/CronJob",
    "+spec/jobTemplate/metadata/annotations",
    "+spec/jobTemplate/spec/template/metadata/annotations",
  ),
];

const pods = ["spec/", "spec/template/spec/"];
const images: readonly FieldSpec[] = pods.flatMap((pod) =>
  specs("", `+${pod}containers[]/image`, `+${pod}initContainers[]/image`, `+${pod}volumes[]/image/reference`),
);

const containers = ["spec/containers", "spec/initContainers"];
const inContainers = (...paths: readonly string[]): readonly string[] =>
  containers.flatMap((container) => paths.map((path) => `${container}/${path}`));

const varContainers = inContainers("args", "command", "env/value", "volumeMounts/mountPath");
const varReferences: readonly FieldSpec[] = [
  ...inPods(["CronJob"], [...varContainers, "volumes/nfs/server"]),
  ...inPods(["DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet"], [...varContainers, "spec/volumes/nfs/server"]),
  ...inPods(["StatefulSet"], varContainers),
  ...specs("Deployment", "spec/template/metadata/annotations"),
  ...specs("Ingress", "spec/rules/host", "spec/tls/hosts", "spec/tls/secretName"),
  ...specs("Service", "spec/ports/port", "spec/ports/targetPort"),
  ...specs("StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
  ...specs("PersistentVolume", "spec/nfs/server"),
  ...specs("", "metadata/labels", "metadata/annotations"),
];

/** Fields that hold the name of an object of some kind. */
export interface NameReference extends Gvk {
  readonly fields: readonly FieldSpec[];
}

const reference = (kind: string, ...fields: readonly (readonly FieldSpec[])[]): NameReference => ({
  ...parseKind(kind),
  fields: fields.flat(),
});

const ALL_PODS = [POD, "PodTemplate", ...WORKLOADS, "CronJob"];
/** Not every reference is followed from every kind that has pods. */
const RUNNERS = ["Pod", "StatefulSet", "Deployment", "ReplicationController", "CronJob", "Job", "DaemonSet"];
const resourceNames = "rules/resourceNames";

const configMap = reference(
  "v1:ConfigMap",
  inPods(ALL_PODS, [
    "spec/volumes/configMap/name",
    "spec/volumes/projected/sources/configMap/name",
    ...inContainers("env/valueFrom/configMapKeyRef/name", "envFrom/configMapRef/name"),
  ]),
  specs("Node", "spec/configSource/configMap"),
  specs("Role ClusterRole", resourceNames),
  specs("Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap"),
);

const secret = reference(
  "v1:Secret",
  inPods(ALL_PODS, [
    "spec/volumes/secret/secretName",
    "spec/volumes/projected/sources/secret/name",
    "spec/imagePullSecrets/name",
    ...inContainers("env/valueFrom/secretKeyRef/name", "envFrom/secretRef/name"),
  ]),
  specs(
    "Ingress",
    "spec/tls/secretName",
    "metadata/annotations/ingress.kubernetes.io\\/auth-secret",
    "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret",
    "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret",
  ),
  specs("ServiceAccount", "imagePullSecrets/name"),
  specs(
    "StorageClass",
    ...["secretName", "adminSecretName", "userSecretName", "secretRef"].map((name) => `parameters/${name}`),
  ),
  specs("Role ClusterRole", resourceNames),
  specs("serving.knative.dev/v1:Service", "spec/template/spec/containers/env/valueFrom/secretKeyRef/name"),
  specs("PersistentVolume", "spec/azureFile/secretName"),
);

const service = reference(
  "v1:Service",
  specs("apps/StatefulSet", "spec/serviceName"),
  specs(
    "Ingress",
    "spec/rules/http/paths/backend/serviceName",
    "spec/backend/serviceName",
    "spec/rules/http/paths/backend/service/name",
    "spec/defaultBackend/service/name",
  ),
  specs("apiregistration.k8s.io/APIService", "spec/service/name"),
  specs(
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration admissionregistration.k8s.io/MutatingWebhookConfiguration",
    "webhooks/clientConfig/service",
  ),
);

const RBAC = "rbac.authorization.k8s.io";

const nameReferences: readonly NameReference[] = [
  ...["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map((kind) =>
    reference(kind, specs("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")),
  ),
  configMap,
  secret,
  service,
  reference(`${RBAC}/Role`, specs(`${RBAC}/RoleBinding`, "roleRef/name")),
  reference(`${RBAC}/ClusterRole`, specs(`${RBAC}/RoleBinding ${RBAC}/ClusterRoleBinding`, "roleRef/name")),
  reference(
    "v1:ServiceAccount",
    specs(`${RBAC}/RoleBinding ${RBAC}/ClusterRoleBinding`, "subjects"),
    inPods(RUNNERS, ["spec/serviceAccountName"]),
  ),
  reference("v1:PersistentVolumeClaim", inPods(RUNNERS, ["spec/volumes/persistentVolumeClaim/claimName"])),
  reference(
    "v1:PersistentVolume",
    specs("PersistentVolumeClaim", "spec/volumeName"),
    specs("ClusterRole", resourceNames),
  ),
  reference(
    "storage.k8s.io/v1:StorageClass",
    specs("PersistentVolume PersistentVolumeClaim", "spec/storageClassName"),
    specs("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
  ),
  reference("scheduling.k8s.io/v1:PriorityClass", inPods(RUNNERS, ["spec/priorityClassName"])),
  // The group is kustomize's own, so nothing has this kind.
  reference("networking.k8s.io/v1/v1:IngressClass", specs("Ingress", "spec/ingressClassName")),
  reference(
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
    specs("admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding", "spec/policyName"),
  ),
];

/** The fields that each transformer changes; a kustomization's `configurations` and `crds` add to them. */
export interface TransformerConfig {
  readonly namePrefix: readonly FieldSpec[];
  readonly nameSuffix: readonly FieldSpec[];
  readonly namespace: readonly FieldSpec[];
  readonly commonLabels: readonly FieldSpec[];
  readonly labels: readonly FieldSpec[];
  readonly templateLabels: readonly FieldSpec[];
  readonly commonAnnotations: readonly FieldSpec[];
  readonly varReference: readonly FieldSpec[];
  readonly images: readonly FieldSpec[];
  readonly replicas: readonly FieldSpec[];
  readonly nameReference: readonly NameReference[];
}

export const defaultConfig: TransformerConfig = {
  namePrefix: specs("", "metadata/name"),
  nameSuffix: specs("", "metadata/name"),
  namespace: [
    ...specs("Namespace", "+metadata/name"),
    ...specs("apiregistration.k8s.io/APIService", "+spec/service/namespace"),
    ...specs("apiextensions.k8s.io/CustomResourceDefinition", "spec/conversion/webhook/clientConfig/service/namespace"),
  ],
  commonLabels: mergeSpecs([], commonLabels),
  labels: [],
  templateLabels: metadataLabels,
  commonAnnotations,
  varReference: varReferences,
  images,
  replicas: specs("Deployment ReplicationController ReplicaSet StatefulSet", "+spec/replicas"),
  nameReference: nameReferences,
};
