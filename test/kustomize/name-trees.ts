import { configMap, deployment, service, type Tree } from "./trees.js";

const podSpec = `serviceAccountName: runner
      priorityClassName: high
      imagePullSecrets:
      - name: login
      initContainers:
      - name: i
        image: i
        env:
        - name: A
          valueFrom: {configMapKeyRef: {name: settings, key: a}}
        envFrom:
        - secretRef: {name: login}
      containers:
      - name: c
        image: i
        env:
        - name: A
          valueFrom: {configMapKeyRef: {name: settings, key: a}}
        - name: B
          valueFrom: {secretKeyRef: {name: login, key: b}}
        envFrom:
        - configMapRef: {name: settings}
        - secretRef: {name: login}
      volumes:
      - name: a
        configMap: {name: settings}
      - name: b
        secret: {secretName: login}
      - name: c
        persistentVolumeClaim: {claimName: data}
      - name: d
        projected:
          sources:
          - configMap: {name: settings}
          - secret: {name: login}`;

const targets = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner}
imagePullSecrets:
- name: login
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: fast, volumeName: disk}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec: {storageClassName: fast, azureFile: {secretName: login}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
parameters: {secretName: login, adminSecretName: login, other: login}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
---
${service}`;

const workload = (apiVersion: string, kind: string, before = ""): string => `apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: ${kind.toLowerCase()}}
spec:
${before}  template:
    spec:
      ${podSpec}
`;

export const nameTrees: readonly Tree[] = [
  ...["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"].map((kind) => ({
    name: `references of a ${kind}`,
    files: `-- kustomization.yaml --
namePrefix: p-
nameSuffix: -s
resources: [it.yaml, targets.yaml]
-- it.yaml --
${workload("apps/v1", kind, kind === "StatefulSet" ? "  serviceName: web\n  volumeClaimTemplates:\n  - metadata: {name: v}\n    spec: {storageClassName: fast}\n" : "")}-- targets.yaml --
${targets}`,
  })),
  {
    name: "references of jobs, replication controllers and pods",
    files: `-- kustomization.yaml --
namePrefix: p-
resources: [it.yaml, targets.yaml]
-- it.yaml --
${workload("batch/v1", "Job")}---
${workload("v1", "ReplicationController")}---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cron}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          ${podSpec.replaceAll("\n", "\n    ")}
---
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
      ${podSpec}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: podtemplate}
template:
  spec:
      ${podSpec}
-- targets.yaml --
${targets}`,
  },
  {
    name: "references of ingresses, autoscalers, webhooks and API services",
    files: `-- kustomization.yaml --
namePrefix: p-
resources: [it.yaml, targets.yaml, deploy.yaml]
-- deploy.yaml --
${deployment}-- targets.yaml --
${targets}-- it.yaml --
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ing
  annotations:
    nginx.ingress.kubernetes.io/auth-secret: login
    nginx.ingress.kubernetes.io/fastcgi-params-configmap: settings
    other: login
spec:
  ingressClassName: cls
  defaultBackend: {service: {name: web}}
  tls:
  - secretName: login
    hosts: [a]
  rules:
  - http:
      paths:
      - backend: {service: {name: web, port: {number: 80}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: hpa}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.example.com}
spec: {service: {name: web, namespace: x}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: a.example.com
  clientConfig: {service: {name: web, namespace: default}}
- name: b.example.com
  clientConfig: {url: https://x}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: policy}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: binding}
spec: {policyName: policy}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: cls}
`,
  },
  {
    name: "roles and bindings",
    files: `-- kustomization.yaml --
namePrefix: p-
namespace: shop
resources: [rbac.yaml]
-- rbac.yaml --
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [settings, other]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: one}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- kind: ServiceAccount
  name: runner
- kind: ServiceAccount
  name: default
- kind: User
  name: runner
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: two}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects:
- kind: ServiceAccount
  name: runner
  namespace: elsewhere
- kind: ServiceAccount
  name: default
  namespace: elsewhere
`,
  },
  {
    name: "a binding to an account of another namespace",
    dir: "top",
    files: `-- a/kustomization.yaml --
namespace: a
namePrefix: a-
resources: [it.yaml]
-- a/it.yaml --
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner, namespace: orig}
-- top/kustomization.yaml --
resources: [../a, it.yaml]
-- top/it.yaml --
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: one, namespace: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- kind: ServiceAccount
  name: runner
  namespace: orig
- kind: ServiceAccount
  name: runner
  namespace: a
`,
  },
  {
    name: "namespace of everything that has one",
    files: `-- kustomization.yaml --
namespace: shop
resources: [all.yaml, deploy.yaml]
-- deploy.yaml --
${deployment}-- all.yaml --
apiVersion: v1
kind: Namespace
metadata: {name: old}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: other}
---
apiVersion: v1
kind: Node
metadata: {name: n}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: t}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec: {conversion: {webhook: {clientConfig: {service: {name: s, namespace: old}}}}}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.example.com}
spec: {service: {name: web}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: later-than-1.21}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb}
subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: other, namespace: x}
- {kind: Group, name: default}
`,
  },
  {
    name: "the same name in two namespaces",
    files: `-- kustomization.yaml --
namePrefix: p-
resources: [all.yaml]
-- all.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: b}
---
apiVersion: v1
kind: Pod
metadata: {name: pod, namespace: b}
spec:
  volumes:
  - name: v
    configMap: {name: settings}
  - name: w
    configMap: {name: unknown}
`,
  },
  {
    name: "names that look like numbers",
    files: `-- kustomization.yaml --
namePrefix: "1"
namespace: "123"
resources: [all.yaml]
-- all.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: "23"}
---
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  volumes:
  - name: v
    configMap: {name: "23"}
`,
  },
  {
    name: "prefixes of several levels lead references home",
    dir: "top",
    files: `-- base/kustomization.yaml --
resources: [config.yaml]
-- base/config.yaml --
${configMap}-- a/kustomization.yaml --
namePrefix: a-
resources: [../base, pod.yaml]
-- a/pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec: {volumes: [{name: v, configMap: {name: settings}}]}
-- b/kustomization.yaml --
namePrefix: b-
resources: [../base, pod.yaml]
-- b/pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec: {volumes: [{name: v, configMap: {name: settings}}]}
-- top/kustomization.yaml --
namePrefix: top-
resources: [../a, ../b]
`,
  },
  {
    name: "a suffix alone, and an empty prefix",
    files: `-- kustomization.yaml --
namePrefix: ""
nameSuffix: -v2
resources: [deploy.yaml, config.yaml]
-- deploy.yaml --
${deployment}-- config.yaml --
${configMap}`,
  },
];
