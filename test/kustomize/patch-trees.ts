import { configMap, deployment, service, type Tree } from "./trees.js";

/** The deployment, service and config map with some `patches`, and files for them. */
const patched = (name: string, patches: string, files = ""): Tree => ({
  name,
  files: `-- kustomization.yaml --
resources: [deploy.yaml, service.yaml, config.yaml]
patches:
${patches}-- deploy.yaml --
${deployment}-- service.yaml --
${service}-- config.yaml --
${configMap}${files}`,
});

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ");

const onDeployment = (name: string, spec: string): Tree =>
  patched(
    name,
    `- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
${indent(spec)}`,
  );

const inContainer = (name: string, fields: string): Tree =>
  onDeployment(
    name,
    `spec:
  template:
    spec:
      containers:
      - name: main
${fields.replaceAll(/^(?=.)/gm, "        ")}`,
  );

export const patchTrees: readonly Tree[] = [
  onDeployment(
    "fields set, changed and removed",
    "spec:\n  replicas: 5\n  paused: true\n  selector: null\n  strategy:\n    type: Recreate\n",
  ),
  inContainer("a container of a list changes where it is", "image: nginx:2\nargs: [a, b]\n"),
  inContainer(
    "environment variables are merged by name",
    'env:\n- {name: MODE, value: fancy}\n- {name: NEW, value: "1"}\n',
  ),
  inContainer(
    "ports are merged by port and protocol",
    "ports:\n- {containerPort: 80, name: http}\n- {containerPort: 443, protocol: UDP}\n- {containerPort: 9090}\n",
  ),
  inContainer("ports of one protocol", "ports:\n- {containerPort: 443, protocol: TCP, name: https}\n"),
  inContainer("lists without keys are replaced", "envFrom: []\ncommand: [x]\n"),
  inContainer("an element is deleted", "env:\n- name: MODE\n  $patch: delete\n- name: OTHER\n  value: z\n"),
  inContainer("a container is deleted", "$patch: delete\n"),
  inContainer("a map is replaced", 'resources: {limits: {cpu: "1"}}\n'),
  onDeployment(
    "a new container comes first",
    "spec:\n  template:\n    spec:\n      containers:\n      - name: new\n        image: n\n      volumes:\n      - name: data\n        emptyDir: {}\n        persistentVolumeClaim: null\n      - name: more\n        emptyDir: {}\n",
  ),
  onDeployment(
    "a list is replaced",
    "spec:\n  template:\n    spec:\n      containers:\n      - $patch: replace\n      - name: only\n        image: o\n",
  ),
  onDeployment("a list is deleted", "spec:\n  template:\n    spec:\n      volumes:\n      - $patch: delete\n"),
  onDeployment(
    "a map is replaced by directive",
    "spec:\n  template:\n    $patch: replace\n    spec: {containers: [{name: x}]}\n",
  ),
  onDeployment("a map is deleted by directive", "spec:\n  template:\n    metadata:\n      $patch: delete\n"),
  onDeployment(
    "a map is merged by directive",
    "spec:\n  $patch: merge\n  template:\n    spec:\n      $patch: merge\n      hostNetwork: true\n",
  ),
  onDeployment(
    "nulls and empty values",
    'metadata:\n  name: web\n  labels:\n    app: null\n    x: ""\nspec:\n  revisionHistoryLimit:\n  template:\n    spec:\n      nodeSelector: {}\n      tolerations: []\n      serviceAccountName: ~\n',
  ),
  onDeployment(
    "finalizers and owners",
    "metadata:\n  name: web\n  finalizers: [a, b]\n  ownerReferences:\n  - {uid: u, name: o}\n",
  ),
  onDeployment(
    "host aliases, pull secrets and spread constraints",
    "spec:\n  template:\n    spec:\n      hostAliases:\n      - {ip: 1.1.1.1, hostnames: [a]}\n      imagePullSecrets:\n      - name: login\n      topologySpreadConstraints:\n      - {topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}\n      tolerations:\n      - key: a\n",
  ),
  onDeployment(
    "labels that need quotes",
    'metadata:\n  name: web\n  labels: {on: "yes", n: "12"}\n  annotations: {d: "2001-01-01", t: "true"}\n',
  ),
  patched(
    "the object is deleted",
    "- patch: |\n    $patch: delete\n    apiVersion: v1\n    kind: Service\n    metadata: {name: web}\n",
  ),
  patched(
    "a patch of a file",
    "- path: patch.yaml\n",
    "-- patch.yaml --\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  ports:\n  - {port: 443, name: tls}\n  - {port: 80, name: http}\n",
  ),
  patched(
    "several patches in one entry",
    "- path: all.yaml\n",
    "-- all.yaml --\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: NodePort}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {size: null, extra: |\n  text\n}\n".replace(
      "{size: null, extra: |\n  text\n}",
      "{size: null, extra: more}",
    ),
  ),
  patched(
    "targets by kind",
    '- target: {kind: Deployment}\n  patch: |\n    apiVersion: whatever\n    kind: Any\n    metadata: {name: any, labels: {patched: "yes"}, annotations: {a: b}}\n',
  ),
  patched(
    "targets by pattern of name",
    '- target: {name: "we.*"}\n  patch: |\n    kind: Any\n    metadata: {name: any, annotations: {patched: here}}\n',
  ),
  patched(
    "targets by label and annotation",
    '- target: {labelSelector: "app in (web, other)"}\n  patch: |\n    kind: Any\n    metadata: {name: any, annotations: {patched: here}}\n- target: {annotationSelector: patched=here}\n  patch: |-\n    - {op: add, path: /metadata/annotations/second, value: too}\n',
  ),
  patched(
    "targets by group, version and namespace",
    '- target: {group: apps, version: v1}\n  patch: |-\n    [{"op": "add", "path": "/spec/replicas", "value": 9}]\n- target: {namespace: default, kind: Service}\n  patch: |-\n    - op: replace\n      path: /spec/ports/0/port\n      value: 81\n- target: {namespace: none}\n  patch: |-\n    - {op: remove, path: /nothing}\n',
  ),
  patched(
    "JSON patches",
    '- target: {kind: Deployment, name: web}\n  patch: |-\n    - op: add\n      path: /spec/template/spec/containers/0/env/-\n      value: {name: X, value: "1"}\n    - {op: test, path: /spec/replicas, value: 2}\n    - {op: copy, from: /metadata/labels/app, path: /metadata/labels/copy}\n    - {op: move, from: /spec/template/spec/volumes/1, path: /spec/template/spec/volumes/0}\n    - {op: remove, path: /spec/template/spec/serviceAccountName}\n    - {op: replace, path: /metadata/labels, value: {a~b: c, d/e: f}}\n    - {op: add, path: /metadata/labels/g~1h, value: "12"}\n    - {op: add, path: /spec/big, value: 12345678901234567890}\n    - {op: add, path: /spec/float, value: 1.5}\n',
  ),
  patched(
    "a JSON patch of a file",
    "- target: {kind: Service}\n  path: ops.yaml\n",
    "-- ops.yaml --\n- op: add\n  path: /metadata/annotations\n  value: {a: b}\n",
  ),
  patched(
    "a JSON patch may rename",
    '- target: {kind: ConfigMap}\n  patch: \'[{"op": "replace", "path": "/metadata/name", "value": "renamed"}]\'\n',
  ),
  patched(
    "a patch that may rename",
    "- target: {kind: ConfigMap}\n  options: {allowNameChange: true}\n  patch: |\n    kind: ConfigMap\n    metadata: {name: renamed}\n",
  ),
  patched(
    "a patch that may not rename",
    "- target: {kind: ConfigMap}\n  patch: |\n    kind: Secret\n    metadata: {name: renamed, namespace: x}\n    type: t\n",
  ),
  patched(
    "a patch that may change the kind",
    "- target: {kind: Deployment}\n  options: {allowKindChange: true}\n  patch: |\n    apiVersion: apps/v1\n    kind: StatefulSet\n    metadata: {name: web}\n",
  ),
  patched("a patch of nothing but comments", "- patch: |\n    # nothing\n"),
  patched("an empty JSON patch", '- target: {kind: Service}\n  patch: "[]"\n'),
  patched(
    "objects of one's own kind within others",
    '- target: {kind: Service}\n  patch: |\n    kind: Any\n    metadata: {name: any}\n    spec:\n      template:\n        apiVersion: v1\n        kind: Pod\n        spec: {containers: [{name: a, env: [{name: x, value: "1"}]}]}\n- target: {kind: Service}\n  patch: |\n    kind: Any\n    metadata: {name: any}\n    spec:\n      template:\n        spec: {containers: [{name: a, env: [{name: z, value: "2"}]}, {name: b}]}\n',
  ),
  {
    name: "lists of own kinds are replaced",
    files: `-- kustomization.yaml --
resources: [thing.yaml]
patches:
- patch: |
    apiVersion: example.com/v1
    kind: Thing
    metadata: {name: thing}
    spec: {list: [{name: b, v: 2}], map: {b: 2}}
-- thing.yaml --
apiVersion: example.com/v1
kind: Thing
metadata: {name: thing}
spec: {list: [{name: a, v: 1}], map: {a: 1}}
`,
  },
  {
    name: "a patch finds an object by the name it had",
    dir: "top",
    files: `-- base/kustomization.yaml --
namePrefix: a-
namespace: shop
resources: [deploy.yaml]
-- base/deploy.yaml --
${deployment}-- top/kustomization.yaml --
resources: [../base]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {replicas: 8}
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: a-web, namespace: shop}
    spec: {paused: true}
`,
  },
  {
    name: "webhooks are merged by name",
    files: `-- kustomization.yaml --
resources: [hook.yaml]
patches:
- path: patch.yaml
-- hook.yaml --
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- {name: a, sideEffects: None}
- {name: b, sideEffects: None}
-- patch.yaml --
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- {name: b, failurePolicy: Ignore}
- {name: c}
`,
  },
];
