import { configMap, deployment, service, type Tree } from "./trees.js";

/** Where objects come from: files, folders, components, and in which order they come out. */
export const layoutTrees: readonly Tree[] = [
  {
    name: "files in the order of kinds",
    files: `-- kustomization.yaml --
resources: [deploy.yaml, service.yaml, config.yaml, ns.yaml]
-- deploy.yaml --
${deployment}-- service.yaml --
${service}-- config.yaml --
${configMap}-- ns.yaml --
apiVersion: v1
kind: Namespace
metadata: {name: shop}
`,
  },
  {
    name: "base and two levels of overlays",
    dir: "overlays/prod",
    files: `-- base/kustomization.yaml --
resources:
- ../common
- deploy.yaml
-- base/deploy.yaml --
${deployment}-- common/kustomization.yml --
resources: [config.yaml]
-- common/config.yaml --
${configMap}-- overlays/prod/Kustomization --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: prod
namePrefix: prod-
resources: [../../base]
`,
  },
  {
    name: "the same base twice under different prefixes",
    dir: "top",
    files: `-- base/kustomization.yaml --
resources: [deploy.yaml, config.yaml]
-- base/deploy.yaml --
${deployment}-- base/config.yaml --
${configMap}-- a/kustomization.yaml --
namePrefix: a-
resources: [../base]
-- b/kustomization.yaml --
namePrefix: b-
resources: [../base]
-- top/kustomization.yaml --
nameSuffix: -x
resources: [../a, ../b]
`,
  },
  {
    name: "several documents, comments, empty documents and windows line breaks",
    files: `-- kustomization.yaml --
resources: [all.yaml]
-- all.yaml --
# one
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: one # trailing
data:
  a: "1"\r
--- # two
apiVersion: v1
kind: ConfigMap
metadata:
  name: two
---
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: three
  annotations: {}
`,
  },
  {
    name: "lists are taken apart",
    files: `-- kustomization.yaml --
resources: [list.yaml, more.yaml, json.json]
-- list.yaml --
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: one}
- apiVersion: v1
  kind: Secret
  metadata: {name: two}
-- more.yaml --
apiVersion: v1
kind: ConfigMapList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: three}
  data: {n: "1", t: 2001-01-01, "y": "yes"}
---
apiVersion: v1
kind: ServiceList
items:
-- json.json --
{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "four"}, "data": {"a": "<b> & c"}}
`,
  },
  {
    name: "scalars of all kinds keep their meaning",
    files: `-- kustomization.yaml --
resources: [cr.yaml]
-- cr.yaml --
apiVersion: example.com/v1
kind: Thing
metadata:
  name: thing
  annotations:
    bool: true
    number: 12
    empty:
    text: "quoted"
spec:
  yes: yes
  on: "on"
  int: 0x10
  octal: 010
  newOctal: 0o17
  big: 18446744073709551615
  float: 1.50
  exponent: 1e3
  tiny: 1e-9
  under: 1_000
  date: 2001-02-03
  time: 2001-02-03T04:05:06.789Z
  zone: 2001-02-03T04:05:06+02:00
  null1: null
  null2: ~
  nothing:
  empty: ""
  tagged: !!str 12
  taggedInt: !!int "13"
  list: []
  map: {}
  base60: 12:30:45
  plain: a b c
  single: 'it''s'
  double: "tab\\tnew\\nline"
  folded: >
    folded
    text

    more
  literal: |-
    literal
      text
  keep: |+
    kept

  long: aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff gggggggggg hhhhhhhhhh iiiiiiiiii
`,
  },
  {
    name: "anchors, aliases and merge keys",
    files: `-- kustomization.yaml --
resources: [cr.yaml]
-- cr.yaml --
apiVersion: example.com/v1
kind: Thing
metadata:
  name: thing
spec:
  base: &base
    a: 1
    b: [x, y]
  other: *base
  merged:
    <<: *base
    a: 2
  several:
    <<: [*base, {c: 3, a: 9}]
    d: 4
`,
  },
  {
    name: "components",
    dir: "prod",
    files: `-- base/kustomization.yaml --
resources: [deploy.yaml]
configMapGenerator:
- name: settings
  literals: [colour=blue]
-- base/deploy.yaml --
${deployment}-- metrics/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
configMapGenerator:
- name: settings
  behavior: merge
  literals: [metrics=on]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      template:
        spec:
          containers:
          - name: exporter
            image: exporter:1
-- labels/kustomization.yaml --
kind: Component
labels:
- pairs: {team: shop}
-- prod/kustomization.yaml --
resources: [../base]
components: [../metrics, ../labels]
namePrefix: prod-
`,
  },
  {
    name: "a component with resources of its own and nested components",
    dir: "top",
    files: `-- inner/kustomization.yaml --
kind: Component
resources: [config.yaml]
-- inner/config.yaml --
${configMap}-- outer/kustomization.yaml --
kind: Component
components: [../inner]
nameSuffix: -outer
-- top/kustomization.yaml --
components: [../outer]
resources: [deploy.yaml]
-- top/deploy.yaml --
${deployment}`,
  },
  {
    name: "deprecated fields warn",
    dir: "top",
    files: `-- base/kustomization.yaml --
resources: [deploy.yaml]
commonLabels: {a: b}
-- base/deploy.yaml --
${deployment}-- top/kustomization.yaml --
bases: [../base]
imageTags:
- name: nginx
  newTag: "2"
patchesStrategicMerge:
- patch.yaml
- |-
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
  spec:
    replicas: 7
patchesJson6902:
- target: {version: v1, kind: Deployment, name: web}
  patch: |-
    - op: add
      path: /metadata/labels/x
      value: "y"
- target: {version: v1, group: apps, kind: Deployment, name: web}
  path: ops.json
vars:
- name: NAME
  objref: {apiVersion: apps/v1, kind: Deployment, name: web}
-- top/patch.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {note: "named $(NAME)", cost: "$$(NAME)"}}
-- top/ops.json --
[{"op": "replace", "path": "/spec/minReadySeconds", "value": 5}]
`,
  },
  {
    name: "vars in containers, and one that nothing refers to",
    files: `-- kustomization.yaml --
namePrefix: p-
resources: [pod.yaml, service.yaml]
vars:
- name: SERVICE
  objref: {kind: Service, name: web, apiVersion: v1}
- name: PORT
  objref: {kind: Service, name: web, apiVersion: v1}
  fieldref: {fieldPath: "spec.ports[0].port"}
- name: UNUSED
  objref: {kind: Service, name: web, apiVersion: v1}
-- service.yaml --
${service}-- pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: pod}
spec:
  containers:
  - name: c
    image: i
    command: [run, "--to=$(SERVICE):$(PORT)", $(SERVICE), $(PORT), $(OTHER), "$(open"]
    env:
    - name: PORT
      value: $(PORT)
`,
  },
  {
    name: "fifo order",
    files: `-- kustomization.yaml --
sortOptions: {order: fifo}
resources: [deploy.yaml, config.yaml]
-- deploy.yaml --
${deployment}-- config.yaml --
${configMap}`,
  },
  {
    name: "an order of one's own",
    files: `-- kustomization.yaml --
sortOptions:
  order: legacy
  legacySortOptions:
    orderFirst: [Service, Thing]
    orderLast: [ConfigMap]
resources: [config.yaml, deploy.yaml, service.yaml, thing.yaml]
-- deploy.yaml --
${deployment}-- config.yaml --
${configMap}-- service.yaml --
${service}-- thing.yaml --
apiVersion: example.com/v1
kind: Thing
metadata: {name: b}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a, namespace: x}
`,
  },
  {
    name: "every kind of the old order",
    files: `-- kustomization.yaml --
resources: [all.yaml]
-- all.yaml --
${[
  ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
  ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"],
  ["policy/v1", "PodDisruptionBudget"],
  ["batch/v1", "CronJob"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "DaemonSet"],
  ["v1", "PersistentVolumeClaim"],
  ["v1", "PersistentVolume"],
  ["scheduling.k8s.io/v1", "PriorityClass"],
  ["v1", "LimitRange"],
  ["v1", "Service"],
  ["v1", "Endpoints"],
  ["v1", "Secret"],
  ["v1", "ConfigMap"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole"],
  ["rbac.authorization.k8s.io/v1", "Role"],
  ["v1", "ServiceAccount"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["storage.k8s.io/v1", "StorageClass"],
  ["v1", "ResourceQuota"],
  ["v1", "Namespace"],
  ["example.com/v1", "Thing"],
  ["v1", "Pod"],
]
  .map(([apiVersion, kind]) => `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: it}\n`)
  .join("---\n")}`,
  },
  {
    name: "objects for tools only are left out",
    files: `-- kustomization.yaml --
resources: [all.yaml]
-- all.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: gone
  annotations: {config.kubernetes.io/local-config: "true"}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: stays
  annotations: {config.kubernetes.io/local-config: "false"}
`,
  },
  {
    name: "build metadata",
    dir: "top",
    files: `-- base/kustomization.yaml --
resources: [deploy.yaml]
namePrefix: a-
-- base/deploy.yaml --
${deployment}-- top/kustomization.yaml --
buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]
resources: [../base]
configMapGenerator:
- name: made
  literals: [a=b]
secretGenerator:
- name: hidden
  literals: [a=b]
labels:
- pairs: {x: "y"}
images:
- name: nginx
  newTag: "3"
`,
  },
  {
    name: "only the origin is kept",
    files: `-- kustomization.yaml --
buildMetadata: [originAnnotations]
resources: [deploy.yaml, sub]
-- deploy.yaml --
${deployment}-- sub/kustomization.yaml --
resources: [config.yaml]
-- sub/config.yaml --
${configMap}`,
  },
  {
    name: "openapi of the built-in version",
    files: `-- kustomization.yaml --
openapi: {version: v1.21.2}
resources: [deploy.yaml]
-- deploy.yaml --
${deployment}`,
  },
  {
    name: "openapi of one's own says how lists are merged",
    files: `-- kustomization.yaml --
openapi: {path: schema.json}
resources: [thing.yaml]
patches:
- patch: |
    apiVersion: example.com/v1
    kind: Thing
    metadata: {name: thing}
    spec:
      parts:
      - id: b
        size: 9
      plain: [z]
-- thing.yaml --
apiVersion: example.com/v1
kind: Thing
metadata: {name: thing}
spec:
  parts:
  - {id: a, size: 1}
  - {id: b, size: 2}
  plain: [x]
-- schema.json --
{"definitions": {
  "com.example.v1.Thing": {
    "type": "object",
    "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Thing"}],
    "properties": {"spec": {"$ref": "#/definitions/com.example.v1.Spec"}}
  },
  "com.example.v1.Spec": {
    "type": "object",
    "properties": {
      "parts": {
        "type": "array",
        "items": {"type": "object", "properties": {"id": {"type": "string"}}},
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "id"
      },
      "plain": {"type": "array", "items": {"type": "string"}}
    }
  }
}}
`,
  },
  {
    name: "crds say where names are",
    files: `-- kustomization.yaml --
namePrefix: p-
commonLabels: {team: shop}
commonAnnotations: {note: n}
crds: [types.json]
resources: [bee.yaml, config.yaml]
-- config.yaml --
${configMap}-- bee.yaml --
apiVersion: v1beta1
kind: Bee
metadata: {name: bee}
spec:
  configRef: {name: settings}
  selector: {}
-- types.json --
{
  "github.com/example/pkg/apis/bees/v1beta1.Bee": {
    "Schema": {"properties": {
      "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {},
      "spec": {"$ref": "bees.BeeSpec"}
    }}
  },
  "bees.BeeSpec": {
    "Schema": {"properties": {
      "configRef": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "ConfigMap"},
      "selector": {"x-kubernetes-label-selector": ""}
    }}
  }
}
`,
  },
  {
    name: "configurations add fields",
    files: `-- kustomization.yaml --
namePrefix: p-
commonLabels: {team: shop}
configurations: [config.yaml]
images:
- name: nginx
  newTag: "9"
resources: [thing.yaml, settings.yaml]
-- settings.yaml --
${configMap}-- config.yaml --
nameReference:
- kind: ConfigMap
  version: v1
  fieldSpecs:
  - kind: Thing
    path: spec/settingsRef/name
commonLabels:
- kind: Thing
  path: spec/select
  create: true
images:
- kind: Thing
  path: spec/runs/image
namePrefix:
- kind: Thing
  path: spec/alias
-- thing.yaml --
apiVersion: example.com/v1
kind: Thing
metadata: {name: thing}
spec:
  alias: other
  settingsRef: {name: settings}
  runs:
  - image: nginx:1
`,
  },
];
