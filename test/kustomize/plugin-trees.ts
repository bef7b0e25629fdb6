import { configMap, deployment, service, type Tree } from "./trees.js";

const objects = `-- deploy.yaml --\n${deployment}-- service.yaml --\n${service}-- config.yaml --\n${configMap}`;

/** The objects of most trees, and what else the kustomization says. */
const withObjects = (name: string, fields: string, files = ""): Tree => ({
  name,
  files: `-- kustomization.yaml --\nresources: [deploy.yaml, service.yaml, config.yaml]\n${fields}${files}${objects}`,
});

/** A transformer that stands in the kustomization itself. */
const inline = (name: string, config: string, files = ""): Tree =>
  withObjects(name, `transformers:\n- |-\n${indented(`apiVersion: builtin\n${config}`)}`, files);

const generated = (name: string, config: string, fields = "", files = ""): Tree =>
  withObjects(name, `${fields}generators:\n- |-\n${indented(`apiVersion: builtin\n${config}`)}`, files);

const indented = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("");

const roles = `-- roles.yaml --
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: other, namespace: elsewhere}
- {kind: User, name: default}
- {kind: Group, name: g, namespace: h}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}
subjects:
- {kind: ServiceAccount, name: default, namespace: ""}
- {kind: ServiceAccount, name: other}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: other, namespace: elsewhere}
---
apiVersion: v1
kind: Namespace
metadata: {name: home}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: blank, namespace: ""}
`;

const namespaces = (name: string, config: string): Tree => ({
  name,
  files: `-- kustomization.yaml --\nresources: [roles.yaml]\ntransformers: [n.yaml]\n-- n.yaml --\napiVersion: builtin\nkind: NamespaceTransformer\n${config}${roles}`,
});

const policies = ["v1", "v1beta1", "v1alpha1"]
  .flatMap((version) =>
    ["Validating", "Mutating"].flatMap((what) =>
      ["Policy", "PolicyBinding"].map(
        (kind) => `apiVersion: admissionregistration.k8s.io/${version}
kind: ${what}Admission${kind}
metadata: {name: p}
spec: {policyName: p, paramRef: {name: c, namespace: d}}
`,
      ),
    ),
  )
  .join("---\n");

const secondParts = "abcdefghi"
  .split("")
  .map((key) => `- {fieldPath: data/${key}, filePathPosition: 2}\n`)
  .join("");

export const pluginTrees: readonly Tree[] = [
  inline(
    "plugin: labels",
    `kind: LabelTransformer
metadata: {name: x}
labels: {a: b, n: 1, t: true, f: 1.50}
fieldSpecs:
- {path: metadata/labels, create: true}
- {path: spec/selector/matchLabels, kind: Deployment}
`,
  ),
  inline(
    "plugin: labels without fields",
    `kind: LabelTransformer
metadata: {name: x}
labels: {a: b}
`,
  ),
  inline(
    "plugin: no labels",
    `kind: LabelTransformer
metadata: {name: x}
fieldSpecs: [{path: metadata/labels, create: true}]
`,
  ),
  inline(
    "plugin: annotations",
    `kind: AnnotationsTransformer
metadata: {name: x}
annotations: {a: b, c: ''}
fieldSpecs: [{path: metadata/annotations, create: true}]
`,
  ),
  inline(
    "plugin: fields in other letters and unknown ones",
    `kind: AnnotationsTransformer
metadata: {name: x}
Annotations: {a: b}
nothing: here
FIELDSPECS: [{path: metadata/annotations, create: true, more: 1}]
`,
  ),
  inline(
    "plugin: prefix",
    `kind: PrefixTransformer
metadata: {name: x}
prefix: a-
fieldSpecs: [{path: metadata/name}]
`,
  ),
  inline(
    "plugin: a prefix that is a number",
    `kind: PrefixTransformer
metadata: {name: x}
prefix: 12
fieldSpecs: [{path: metadata/name}]
`,
  ),
  inline(
    "plugin: a prefix that is empty",
    `kind: PrefixTransformer
metadata: {name: x}
fieldSpecs: [{path: metadata/name}]
`,
  ),
  inline(
    "plugin: prefix of one kind",
    `kind: PrefixTransformer
metadata: {name: x}
prefix: a-
fieldSpecs: [{path: metadata/name, kind: ConfigMap}, {path: data/colour, kind: ConfigMap}]
`,
  ),
  inline(
    "plugin: suffix",
    `kind: SuffixTransformer
metadata: {name: x}
suffix: -z
fieldSpecs: [{path: metadata/name}]
`,
  ),
  inline(
    "plugin: prefix and suffix",
    `kind: PrefixSuffixTransformer
metadata: {name: x}
prefix: a-
suffix: -z
fieldSpecs: [{path: metadata/name}]
`,
  ),
  inline(
    "plugin: prefix and suffix of no fields",
    `kind: PrefixSuffixTransformer
metadata: {name: x}
prefix: a-
suffix: -z
fieldSpecs: []
`,
  ),
  inline(
    "plugin: image",
    `kind: ImageTagTransformer
metadata: {name: x}
imageTag: {name: nginx, newTag: 1.9, newName: other}
`,
  ),
  inline(
    "plugin: image in a field",
    `kind: ImageTagTransformer
metadata: {name: x}
imageTag: {name: blue, digest: sha256:abc}
fieldSpecs: [{path: data/colour, kind: ConfigMap}]
`,
  ),
  inline(
    "plugin: replicas",
    `kind: ReplicaCountTransformer
metadata: {name: x}
replica: {name: web, count: 7}
fieldSpecs: [{path: spec/replicas, create: true, kind: Deployment}]
`,
  ),
  inline("plugin: hashes of what is not generated", "kind: HashTransformer\nmetadata: {name: x}\n"),
  withObjects(
    "plugin: hashes, and then once more",
    `configMapGenerator: [{name: settings, behavior: merge, literals: [a=b]}]
transformers:
- |
  apiVersion: builtin
  kind: HashTransformer
  metadata: {name: x}
`,
  ),
  inline(
    "plugin: a patch",
    `kind: PatchTransformer
metadata: {name: x}
patch: |
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data: {size: '12'}
`,
  ),
  inline(
    "plugin: a JSON patch with a target",
    `kind: PatchTransformer
metadata: {name: x}
patch: '[{"op": "add", "path": "/data/more", "value": "x"}]'
target: {kind: ConfigMap}
`,
  ),
  inline(
    "plugin: a patch of a file that renames",
    `kind: PatchTransformer
metadata: {name: x}
path: p.yaml
target: {kind: ConfigMap}
options: {allowNameChange: true}
`,
    `-- p.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: renamed}
`,
  ),
  inline(
    "plugin: a patch that deletes",
    `kind: PatchTransformer
metadata: {name: x}
patch: '{apiVersion: v1, kind: Service, metadata: {name: web}, $patch: delete}'
`,
  ),
  inline(
    "plugin: a deprecated JSON patch",
    `kind: PatchJson6902Transformer
metadata: {name: x}
target: {kind: Service, name: web}
jsonOp: |
  - {op: replace, path: /spec/ports/0/port, value: 81}
`,
  ),
  inline(
    "plugin: a deprecated JSON patch of a file",
    `kind: PatchJson6902Transformer
metadata: {name: x}
target: {kind: Service, name: web}
path: p.json
`,
    '-- p.json --\n[{"op": "remove", "path": "/spec/selector"}]\n',
  ),
  inline(
    "plugin: strategic merge patches",
    `kind: PatchStrategicMergeTransformer
metadata: {name: x}
paths: [p.yaml]
patches: |
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data: {size: null}
  ---
  apiVersion: v1
  kind: Service
  metadata: {name: web}
  spec: {type: NodePort}
`,
    `-- p.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {from: file}
`,
  ),
  inline(
    "plugin: replacements",
    `kind: ReplacementTransformer
metadata: {name: x}
replacements:
- source: {kind: ConfigMap, fieldPath: data.colour}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [metadata.labels.colour]
    options: {create: true}
- path: r.yaml
`,
    `-- r.yaml --
sourceValue: 12
targets:
- select: {kind: ConfigMap}
  fieldPaths: [data.size]
`,
  ),
  inline(
    "plugin: a value",
    `kind: ValueAddTransformer
metadata: {name: x}
value: ' peach '
targets:
- fieldPath: metadata/labels/fruit
- selector: {kind: ConfigMap}
  fieldPath: data/colour
- selector: {kind: ConfigMap}
  fieldPath: data/a\\/b
`,
  ),
  inline(
    "plugin: a value in paths",
    `kind: ValueAddTransformer
metadata: {name: x}
value: v
targetFilePath: t.yaml
targets:
- {selector: {kind: ConfigMap, name: paths}, fieldPath: data/a, filePathPosition: 1}
`,
    `-- t.yaml --
targets:
- {fieldPath: data/colour, filePathPosition: 1, selector: {kind: ConfigMap}}
- {fieldPath: data/deep, filePathPosition: 2, selector: {kind: ConfigMap}}
- {fieldPath: spec/type, filePathPosition: 99, selector: {name: web, kind: Service}}
`,
  ),
  {
    name: "plugin: where in a path a value comes",
    files: `-- kustomization.yaml --
resources: [c.yaml]
transformers: [t.yaml]
-- c.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: /, b: pie, c: /pie, d: a/nice/warm/pie, e: /a//b, f: a/b/, g: "", h: ./x, i: "12"}
-- t.yaml --
apiVersion: builtin
kind: ValueAddTransformer
metadata: {name: t}
value: V
targets:
${secondParts}- {fieldPath: data/b, filePathPosition: 1}
- {fieldPath: data/e, filePathPosition: 1}
- {fieldPath: data/d, filePathPosition: 9}
`,
  },
  {
    name: "plugin: a value from the folder's name",
    dir: "peach",
    files: `-- peach/kustomization.yaml --
resources: [c.yaml]
transformers: [t.yaml]
-- peach/c.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
roleRef: {kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: default}]
-- peach/t.yaml --
apiVersion: builtin
kind: ValueAddTransformer
metadata: {name: t}
targets:
- {fieldPath: metadata/namespace}
- {fieldPath: data/fruit, selector: {kind: ConfigMap}}
`,
  },
  namespaces(
    "plugin: namespace",
    "metadata: {name: x, namespace: shop}\nfieldSpecs: [{path: metadata/name, kind: Namespace, create: true}]\n",
  ),
  namespaces(
    "plugin: namespace of all accounts",
    "metadata: {name: x, namespace: shop}\nsetRoleBindingSubjects: allServiceAccounts\n",
  ),
  namespaces(
    "plugin: namespace of no subjects",
    `metadata: {name: x, namespace: shop}
setRoleBindingSubjects: none
fieldSpecs: [{path: subjects/namespace, kind: RoleBinding, create: true}]
`,
  ),
  namespaces(
    "plugin: namespace where there is none",
    `metadata: {name: x, namespace: shop}
unsetOnly: true
setRoleBindingSubjects: allServiceAccounts
fieldSpecs: [{path: metadata/name, kind: Namespace, create: true}, {path: data/ns, kind: ConfigMap, create: true}]
`,
  ),
  namespaces("plugin: no namespace", "metadata: {name: x}\n"),
  generated(
    "plugin: a generator of config maps",
    `kind: ConfigMapGenerator
metadata: {name: made, namespace: there}
literals: [a=b]
files: [c.txt]
envs: [d.env]
options: {labels: {x: y}, immutable: true}
`,
    "",
    `-- c.txt --
text
-- d.env --
E=F
`,
  ),
  generated(
    "plugin: a generator with a name of its own",
    `kind: ConfigMapGenerator
metadata: {name: x}
name: own
namespace: shop
literals: [a=b]
`,
    "generatorOptions: {disableNameSuffixHash: true, labels: {not: used}}\n",
  ),
  generated(
    "plugin: a generator that merges",
    `kind: ConfigMapGenerator
metadata: {name: settings}
behavior: merge
literals: [a=b]
options: {disableNameSuffixHash: true}
`,
  ),
  generated(
    "plugin: a generator that replaces",
    `kind: ConfigMapGenerator
metadata: {name: settings}
behavior: replace
literals: [a=b]
`,
  ),
  generated(
    "plugin: a generator of secrets",
    `kind: SecretGenerator
metadata: {name: login}
type: example.com/login
literals: [user=me, password=secret]
`,
  ),
  generated(
    "plugin: a generator of policies",
    `kind: IAMPolicyGenerator
metadata: {name: x}
cloud: gke
kubernetesService: {name: runner, namespace: shop}
serviceAccount: {name: robot, projectId: p-1}
`,
  ),
  generated(
    "plugin: a generator of policies without a namespace",
    `kind: IAMPolicyGenerator
metadata: {name: x}
cloud: gke
kubernetesService: {name: runner}
serviceAccount: {name: robot, projectId: p-1}
`,
  ),
  {
    name: "plugin: several in a file, a folder and the kustomization",
    files: `-- kustomization.yaml --
resources: [config.yaml]
generators: [gen, two.yaml]
transformers:
- more.yaml
- trans
- |
  apiVersion: builtin
  kind: PrefixTransformer
  metadata: {name: first}
  prefix: inline-
  fieldSpecs: [{path: metadata/name}]
-- gen/kustomization.yaml --
resources: [g.yaml]
namePrefix: from-
namespace: there
-- gen/g.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: folder}
literals: [a=b]
-- two.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: one}
---
apiVersion: builtin
kind: SecretGenerator
metadata: {name: two}
-- more.yaml --
apiVersion: builtin
kind: SuffixTransformer
metadata: {name: s}
suffix: -file
fieldSpecs: [{path: metadata/name}]
-- trans/kustomization.yaml --
resources: [s.yaml]
nameSuffix: -renamed
patches:
- target: {kind: SuffixTransformer}
  patch: |-
    - {op: replace, path: /suffix, value: -patched}
-- trans/s.yaml --
apiVersion: builtin
kind: SuffixTransformer
metadata: {name: s}
suffix: -folder
fieldSpecs: [{path: metadata/name}]
-- config.yaml --
${configMap}`,
  },
  {
    name: "plugin: a folder of transformers, changed by its kustomization",
    files: `-- kustomization.yaml --
resources: [config.yaml]
namePrefix: field-
transformers: [trans, more]
-- trans/kustomization.yaml --
resources: [s.yaml]
nameSuffix: -renamed
patches:
- target: {kind: SuffixTransformer}
  patch: |-
    - {op: replace, path: /suffix, value: -patched}
-- trans/s.yaml --
apiVersion: builtin
kind: SuffixTransformer
metadata: {name: s}
suffix: -folder
fieldSpecs: [{path: metadata/name}]
-- more/kustomization.yaml --
resources: [../base, l.yaml]
-- more/l.yaml --
apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {a: b}
fieldSpecs: [{path: metadata/labels, create: true}]
-- base/kustomization.yaml --
resources: [p.yaml]
-- base/p.yaml --
apiVersion: builtin
kind: PatchTransformer
metadata: {name: p}
path: p.txt
target: {kind: ConfigMap}
-- p.txt --
- {op: remove, path: /data/size}
-- config.yaml --
${configMap}`,
  },
  {
    name: "plugin: in bases and components",
    files: `-- kustomization.yaml --
resources: [base]
components: [part]
transformers: [t.yaml]
-- t.yaml --
apiVersion: builtin
kind: SuffixTransformer
metadata: {name: s}
suffix: -top
fieldSpecs: [{path: metadata/name}]
-- base/kustomization.yaml --
resources: [config.yaml, deploy.yaml]
transformers: [p.yaml]
-- base/p.yaml --
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: s}
prefix: base-
fieldSpecs: [{path: metadata/name}]
-- part/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
generators: [g.yaml]
transformers: [l.yaml]
validators: [v.yaml]
-- part/g.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: part}
literals: [a=b]
-- part/l.yaml --
apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {a: b}
fieldSpecs: [{path: metadata/labels, create: true}]
-- part/v.yaml --
apiVersion: builtin
kind: ImageTagTransformer
metadata: {name: v}
imageTag: {name: none}
-- base/config.yaml --
${configMap}-- base/deploy.yaml --
${deployment}`,
  },
  {
    name: "plugin: a list of configurations",
    files: `-- kustomization.yaml --
resources: [config.yaml]
transformers: [t.yaml]
-- t.yaml --
apiVersion: v1
kind: List
items:
- {apiVersion: builtin, kind: PrefixTransformer, metadata: {name: a}, prefix: a-, fieldSpecs: [{path: metadata/name}]}
- {apiVersion: builtin, kind: PrefixTransformer, metadata: {name: b}, prefix: b-, fieldSpecs: [{path: metadata/name}]}
-- config.yaml --
${configMap}`,
  },
  {
    name: "plugin: origins and transformations",
    files: `-- kustomization.yaml --
resources: [base, config.yaml]
buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]
namespace: shop
generators:
- two.yaml
- gen
- |
  apiVersion: builtin
  kind: IAMPolicyGenerator
  metadata: {name: i, namespace: j}
  cloud: gke
  kubernetesService: {name: runner}
  serviceAccount: {name: a, projectId: b}
transformers:
- trans/t.yaml
- |
  apiVersion: builtin
  kind: PrefixTransformer
  metadata: {name: "12"}
  prefix: p-
  fieldSpecs: [{path: metadata/name}]
validators:
- |
  apiVersion: builtin
  kind: ImageTagTransformer
  metadata: {name: v}
-- two.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: one}
---
apiVersion: builtin
kind: SecretGenerator
metadata: {name: two, namespace: there}
-- gen/kustomization.yaml --
resources: [g.yaml]
namePrefix: x-
-- gen/g.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: three}
-- trans/t.yaml --
apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {a: b}
fieldSpecs: [{path: metadata/labels, create: true}]
-- base/kustomization.yaml --
resources: [service.yaml]
transformers: [s.yaml]
generators: [g.yaml]
-- base/s.yaml --
apiVersion: builtin
kind: SuffixTransformer
metadata: {name: s}
suffix: -base
fieldSpecs: [{path: metadata/name}]
-- base/g.yaml --
apiVersion: builtin
kind: SecretGenerator
metadata: {name: inbase}
-- base/service.yaml --
${service}-- config.yaml --
${configMap}`,
  },
  {
    name: "plugin: only transformations",
    files: `-- kustomization.yaml --
resources: [config.yaml]
buildMetadata: [transformerAnnotations]
generators: [g.yaml]
transformers: [t.yaml]
-- g.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: settings}
behavior: merge
literals: [a=b]
-- t.yaml --
apiVersion: builtin
kind: NamespaceTransformer
metadata: {name: t, namespace: shop}
-- config.yaml --
${configMap}`,
  },
  {
    name: "plugin: only origins",
    files: `-- kustomization.yaml --
resources: [config.yaml]
buildMetadata: [originAnnotations]
generators: [g.yaml]
-- g.yaml --
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: settings}
behavior: replace
literals: [a=b]
-- config.yaml --
${configMap}`,
  },
  withObjects(
    "plugin: validators that find nothing",
    `validators:
- |
  apiVersion: builtin
  kind: ImageTagTransformer
  metadata: {name: x}
  imageTag: {name: none}
- |
  apiVersion: builtin
  kind: LabelTransformer
  metadata: {name: x}
  labels: {}
`,
  ),
  {
    name: "plugin: a validator that leaves its mark",
    files: `-- kustomization.yaml --
resources: [config.yaml]
validators: [v.yaml]
-- v.yaml --
apiVersion: builtin
kind: LabelTransformer
metadata: {name: v}
labels: {validated-by: me}
fieldSpecs: [{path: metadata/labels, create: true}]
-- config.yaml --
${configMap}`,
  },
  withObjects(
    "plugin: a JSON file",
    "transformers: [x.json]\n",
    `-- x.json --
{"apiVersion": "builtin", "kind": "AnnotationsTransformer", "metadata": {"name": "x"},
 "annotations": {"a": "b"}, "fieldSpecs": [{"path": "metadata/annotations", "create": true}]}
`,
  ),
  withObjects(
    "plugin: it makes objects local",
    "transformers: [x.yaml]\n",
    `-- x.yaml --
apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: x, annotations: {config.kubernetes.io/local-config: 'true'}}
annotations: {config.kubernetes.io/local-config: 'true'}
fieldSpecs: [{path: metadata/annotations, kind: Service, create: true}]
`,
  ),
  withObjects(
    "plugin: empty documents around it",
    "transformers: [x.yaml]\n",
    "-- x.yaml --\n---\n# nothing\n---\napiVersion: builtin\r\nkind: PrefixTransformer\r\nmetadata: {name: x}\r\nprefix: p-\r\nfieldSpecs: [{path: metadata/name}]\n---\n",
  ),
  {
    name: "plugin: transformations that an object brings",
    files: `-- kustomization.yaml --
resources: [c.yaml]
buildMetadata: [originAnnotations, transformerAnnotations]
transformers: [x.yaml]
-- c.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  annotations:
    alpha.config.kubernetes.io/transformations: |
      - configuredBy: {name: 12, apiVersion: v1}
        ref: 'on'
      - path: 5
      - {}
-- x.yaml --
apiVersion: builtin
kind: HashTransformer
metadata: {name: x}
`,
  },
  withObjects(
    "plugin: lists of nothing",
    `generators: []
transformers: []
validators: []
`,
  ),
  withObjects(
    "plugin: entries of nothing",
    `generators: [""]
transformers: ["# nothing", "---"]
validators: ["null"]
`,
  ),
  withObjects("plugin: a file of nothing", "transformers: [t.yaml]\n", "-- t.yaml --\n# nothing\n"),
  {
    name: "plugin: behind the fields, in the order of the files",
    files: `-- kustomization.yaml --
resources: [config.yaml]
namePrefix: field-
transformers: [b.yaml, a.yaml]
replacements:
- {sourceValue: r, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.colour]}]}
-- a.yaml --
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: a}
prefix: a-
fieldSpecs: [{path: metadata/name}]
-- b.yaml --
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: b}
prefix: b-
fieldSpecs: [{path: metadata/name}, {path: data/colour}]
-- config.yaml --
${configMap}`,
  },
  {
    name: "a namespace of admission policies",
    files: `-- kustomization.yaml --
namespace: shop
namePrefix: a-
resources: [p.yaml]
-- p.yaml --
${policies}`,
  },
];
