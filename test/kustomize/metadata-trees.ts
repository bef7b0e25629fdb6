import { configMap, deployment, service, type Tree } from "./trees.js";

const kinds = `${deployment}---
${service}---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  template:
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - labelSelector: {matchLabels: {app: db}}
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 1
            podAffinityTerm: {labelSelector: {matchLabels: {app: db}}}
      topologySpreadConstraints:
      - labelSelector: {matchLabels: {app: db}}
      containers: []
  volumeClaimTemplates:
  - metadata: {name: data}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cron}
spec:
  jobTemplate:
    spec: {template: {spec: {containers: [{name: c, image: nginx}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec: {template: {spec: {}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pdb}
spec: {selector: {matchLabels: {app: web}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
  - from:
    - podSelector: {matchLabels: {app: web}}
    - namespaceSelector: {matchLabels: {app: web}}
  egress:
  - to:
    - podSelector: {}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec: {template: {spec: {}}}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: thing, labels: }
`;

const tree = (name: string, fields: string): Tree => ({
  name,
  files: `-- kustomization.yaml --
resources: [all.yaml]
${fields}-- all.yaml --
${kinds}`,
});

export const metadataTrees: readonly Tree[] = [
  tree("common labels", 'commonLabels:\n  team: shop\n  app: mine\n  number: "1"\n'),
  tree("common annotations", 'commonAnnotations:\n  note: hello\n  switch: "on"\n'),
  tree("labels of objects only", "labels:\n- pairs: {team: shop, app: other}\n"),
  tree("labels with selectors", "labels:\n- pairs: {team: shop}\n  includeSelectors: true\n- pairs: {b: c}\n"),
  tree("labels with templates", "labels:\n- pairs: {team: shop}\n  includeTemplates: true\n"),
  tree(
    "labels in fields of one's own",
    "labels:\n- pairs: {team: shop}\n  fields:\n  - path: spec/labels\n    kind: Thing\n    create: true\n  - {path: spec/none, kind: Thing}\n",
  ),
  tree("labels and common labels at once", "commonLabels: {a: b}\nlabels:\n- pairs: {c: d}\n"),
  {
    name: "labels over labels: what one overlay set, the next changes where it looks",
    dir: "top",
    files: `-- base/kustomization.yaml --
commonLabels: {app: web, tier: front}
resources: [all.yaml]
-- base/all.yaml --
${deployment}---
${service}-- top/kustomization.yaml --
labels:
- pairs: {tier: back}
commonAnnotations: {a: b}
resources: [../base]
`,
  },
  tree("images by new tag", 'images:\n- name: nginx\n  newTag: "1.27"\n'),
  tree(
    "images by new name and digest",
    "images:\n- name: nginx\n  newName: mirror/nginx\n  digest: sha256:abc\n- name: busybox\n  newName: box\n",
  ),
  tree("images with registry and port", "images:\n- name: registry.example.com:5000/team/side\n  newTag: v2\n"),
  tree("images by tag and digest at once", "images:\n- name: nginx\n  newTag: v1\n  digest: sha256:def\n"),
  tree(
    "images with a suffix",
    'images:\n- name: nginx\n  tagSuffix: -alpine\n- name: busybox\n  tagSuffix: -x\n  newTag: "5"\n',
  ),
  tree("images by pattern", "images:\n- name: ng.*\n  newName: apache\n- name: none\n  newTag: x\n"),
  {
    name: "images everywhere",
    files: `-- kustomization.yaml --
images:
- {name: nginx, newTag: "2"}
resources: [all.yaml]
-- all.yaml --
apiVersion: example.com/v1
kind: Thing
metadata: {name: t}
spec:
  deep:
    containers:
    - image: nginx
    - image: "nginx:1"
    - name: none
    initContainers:
    - image: nginx@sha256:abc
    volumes:
    - image: {reference: nginx}
  volumes:
  - image: {reference: nginx:1}
  containers: {image: nginx}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd}
spec: {containers: [{image: nginx}]}
`,
  },
  tree("replicas", "replicas:\n- {name: web, count: 5}\n- {name: db, count: 0}\n"),
  {
    name: "replicas by a name before the prefix",
    dir: "top",
    files: `-- base/kustomization.yaml --
namePrefix: base-
resources: [deploy.yaml]
-- base/deploy.yaml --
${deployment.replace("replicas: 2", 'replicas: "2"')}-- top/kustomization.yaml --
namePrefix: top-
resources: [../base]
replicas:
- {name: web, count: 3}
`,
  },
  {
    name: "metadata that is not there",
    files: `-- kustomization.yaml --
commonLabels: {a: b}
commonAnnotations: {c: d}
namespace: n
resources: [all.yaml]
-- all.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
  labels:
  annotations:
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: e}
spec:
  selector:
  template:
    metadata:
      labels: {}
`,
  },
  {
    name: "labels that look like other types",
    files: `-- kustomization.yaml --
commonLabels: {a: "true", b: "1", c: "1e3", d: "yes", e: "2001-01-01", f: "", g: "null"}
commonAnnotations: {a: "true", b: "x: y", c: "multi\\nline", d: " space "}
resources: [config.yaml]
-- config.yaml --
${configMap}`,
  },
];
