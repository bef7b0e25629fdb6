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

export const pluginTrees: readonly Tree[] = [
  inline(
    "plugin: labels",
    "kind: LabelTransformer\nmetadata: {name: x}\nlabels: {a: b, n: 1, t: true, f: 1.50}\nfieldSpecs:\n- {path: metadata/labels, create: true}\n- {path: spec/selector/matchLabels, kind: Deployment}\n",
  ),
  inline("plugin: labels without fields", "kind: LabelTransformer\nmetadata: {name: x}\nlabels: {a: b}\n"),
  inline(
    "plugin: no labels",
    "kind: LabelTransformer\nmetadata: {name: x}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
  ),
  inline(
    "plugin: annotations",
    "kind: AnnotationsTransformer\nmetadata: {name: x}\nannotations: {a: b, c: ''}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
  ),
  inline(
    "plugin: fields in other letters and unknown ones",
    "kind: AnnotationsTransformer\nmetadata: {name: x}\nAnnotations: {a: b}\nnothing: here\nFIELDSPECS: [{path: metadata/annotations, create: true, more: 1}]\n",
  ),
  inline(
    "plugin: prefix",
    "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: a-\nfieldSpecs: [{path: metadata/name}]\n",
  ),
  inline(
    "plugin: a prefix that is a number",
    "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: 12\nfieldSpecs: [{path: metadata/name}]\n",
  ),
  inline(
    "plugin: a prefix that is empty",
    "kind: PrefixTransformer\nmetadata: {name: x}\nfieldSpecs: [{path: metadata/name}]\n",
  ),
  inline(
    "plugin: prefix of one kind",
    "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: a-\nfieldSpecs: [{path: metadata/name, kind: ConfigMap}, {path: data/colour, kind: ConfigMap}]\n",
  ),
  inline(
    "plugin: suffix",
    "kind: SuffixTransformer\nmetadata: {name: x}\nsuffix: -z\nfieldSpecs: [{path: metadata/name}]\n",
  ),
  inline(
    "plugin: prefix and suffix",
    "kind: PrefixSuffixTransformer\nmetadata: {name: x}\nprefix: a-\nsuffix: -z\nfieldSpecs: [{path: metadata/name}]\n",
  ),
  inline(
    "plugin: prefix and suffix of no fields",
    "kind: PrefixSuffixTransformer\nmetadata: {name: x}\nprefix: a-\nsuffix: -z\nfieldSpecs: []\n",
  ),
  inline(
    "plugin: image",
    "kind: ImageTagTransformer\nmetadata: {name: x}\nimageTag: {name: nginx, newTag: 1.9, newName: other}\n",
  ),
  inline(
    "plugin: image in a field",
    "kind: ImageTagTransformer\nmetadata: {name: x}\nimageTag: {name: blue, digest: sha256:abc}\nfieldSpecs: [{path: data/colour, kind: ConfigMap}]\n",
  ),
  inline(
    "plugin: replicas",
    "kind: ReplicaCountTransformer\nmetadata: {name: x}\nreplica: {name: web, count: 7}\nfieldSpecs: [{path: spec/replicas, create: true, kind: Deployment}]\n",
  ),
  inline("plugin: hashes of what is not generated", "kind: HashTransformer\nmetadata: {name: x}\n"),
  withObjects(
    "plugin: hashes, and then once more",
    "configMapGenerator: [{name: settings, behavior: merge, literals: [a=b]}]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: HashTransformer\n  metadata: {name: x}\n",
  ),
  inline(
    "plugin: a patch",
    "kind: PatchTransformer\nmetadata: {name: x}\npatch: |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings}\n  data: {size: '12'}\n",
  ),
  inline(
    "plugin: a JSON patch with a target",
    'kind: PatchTransformer\nmetadata: {name: x}\npatch: \'[{"op": "add", "path": "/data/more", "value": "x"}]\'\ntarget: {kind: ConfigMap}\n',
  ),
  inline(
    "plugin: a patch of a file that renames",
    "kind: PatchTransformer\nmetadata: {name: x}\npath: p.yaml\ntarget: {kind: ConfigMap}\noptions: {allowNameChange: true}\n",
    "-- p.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: renamed}\n",
  ),
  inline(
    "plugin: a patch that deletes",
    "kind: PatchTransformer\nmetadata: {name: x}\npatch: '{apiVersion: v1, kind: Service, metadata: {name: web}, $patch: delete}'\n",
  ),
  inline(
    "plugin: a deprecated JSON patch",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: Service, name: web}\njsonOp: |\n  - {op: replace, path: /spec/ports/0/port, value: 81}\n",
  ),
  inline(
    "plugin: a deprecated JSON patch of a file",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: Service, name: web}\npath: p.json\n",
    '-- p.json --\n[{"op": "remove", "path": "/spec/selector"}]\n',
  ),
  inline(
    "plugin: strategic merge patches",
    "kind: PatchStrategicMergeTransformer\nmetadata: {name: x}\npaths: [p.yaml]\npatches: |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings}\n  data: {size: null}\n  ---\n  apiVersion: v1\n  kind: Service\n  metadata: {name: web}\n  spec: {type: NodePort}\n",
    "-- p.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {from: file}\n",
  ),
  inline(
    "plugin: replacements",
    "kind: ReplacementTransformer\nmetadata: {name: x}\nreplacements:\n- source: {kind: ConfigMap, fieldPath: data.colour}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [metadata.labels.colour]\n    options: {create: true}\n- path: r.yaml\n",
    "-- r.yaml --\nsourceValue: 12\ntargets:\n- select: {kind: ConfigMap}\n  fieldPaths: [data.size]\n",
  ),
  inline(
    "plugin: a value",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: ' peach '\ntargets:\n- fieldPath: metadata/labels/fruit\n- selector: {kind: ConfigMap}\n  fieldPath: data/colour\n- selector: {kind: ConfigMap}\n  fieldPath: data/a\\/b\n",
  ),
  inline(
    "plugin: a value in paths",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargetFilePath: t.yaml\ntargets:\n- {selector: {kind: ConfigMap, name: paths}, fieldPath: data/a, filePathPosition: 1}\n",
    "-- t.yaml --\ntargets:\n- {fieldPath: data/colour, filePathPosition: 1, selector: {kind: ConfigMap}}\n- {fieldPath: data/deep, filePathPosition: 2, selector: {kind: ConfigMap}}\n- {fieldPath: spec/type, filePathPosition: 99, selector: {name: web, kind: Service}}\n",
  ),
  {
    name: "plugin: where in a path a value comes",
    files: `-- kustomization.yaml --\nresources: [c.yaml]\ntransformers: [t.yaml]\n-- c.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: /, b: pie, c: /pie, d: a/nice/warm/pie, e: /a//b, f: a/b/, g: "", h: ./x, i: "12"}\n-- t.yaml --\napiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {name: t}\nvalue: V\ntargets:\n${["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((key) => `- {fieldPath: data/${key}, filePathPosition: 2}\n`).join("")}- {fieldPath: data/b, filePathPosition: 1}\n- {fieldPath: data/e, filePathPosition: 1}\n- {fieldPath: data/d, filePathPosition: 9}\n`,
  },
  {
    name: "plugin: a value from the folder's name",
    dir: "peach",
    files:
      "-- peach/kustomization.yaml --\nresources: [c.yaml]\ntransformers: [t.yaml]\n-- peach/c.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {kind: Role, name: r}\nsubjects: [{kind: ServiceAccount, name: default}]\n-- peach/t.yaml --\napiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {name: t}\ntargets:\n- {fieldPath: metadata/namespace}\n- {fieldPath: data/fruit, selector: {kind: ConfigMap}}\n",
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
    "metadata: {name: x, namespace: shop}\nsetRoleBindingSubjects: none\nfieldSpecs: [{path: subjects/namespace, kind: RoleBinding, create: true}]\n",
  ),
  namespaces(
    "plugin: namespace where there is none",
    "metadata: {name: x, namespace: shop}\nunsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts\nfieldSpecs: [{path: metadata/name, kind: Namespace, create: true}, {path: data/ns, kind: ConfigMap, create: true}]\n",
  ),
  namespaces("plugin: no namespace", "metadata: {name: x}\n"),
  generated(
    "plugin: a generator of config maps",
    "kind: ConfigMapGenerator\nmetadata: {name: made, namespace: there}\nliterals: [a=b]\nfiles: [c.txt]\nenvs: [d.env]\noptions: {labels: {x: y}, immutable: true}\n",
    "",
    "-- c.txt --\ntext\n-- d.env --\nE=F\n",
  ),
  generated(
    "plugin: a generator with a name of its own",
    "kind: ConfigMapGenerator\nmetadata: {name: x}\nname: own\nnamespace: shop\nliterals: [a=b]\n",
    "generatorOptions: {disableNameSuffixHash: true, labels: {not: used}}\n",
  ),
  generated(
    "plugin: a generator that merges",
    "kind: ConfigMapGenerator\nmetadata: {name: settings}\nbehavior: merge\nliterals: [a=b]\noptions: {disableNameSuffixHash: true}\n",
  ),
  generated(
    "plugin: a generator that replaces",
    "kind: ConfigMapGenerator\nmetadata: {name: settings}\nbehavior: replace\nliterals: [a=b]\n",
  ),
  generated(
    "plugin: a generator of secrets",
    "kind: SecretGenerator\nmetadata: {name: login}\ntype: example.com/login\nliterals: [user=me, password=secret]\n",
  ),
  generated(
    "plugin: a generator of policies",
    "kind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: gke\nkubernetesService: {name: runner, namespace: shop}\nserviceAccount: {name: robot, projectId: p-1}\n",
  ),
  generated(
    "plugin: a generator of policies without a namespace",
    "kind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: gke\nkubernetesService: {name: runner}\nserviceAccount: {name: robot, projectId: p-1}\n",
  ),
  {
    name: "plugin: several in a file, a folder and the kustomization",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\ngenerators: [gen, two.yaml]\ntransformers:\n- more.yaml\n- trans\n- |\n  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata: {name: first}\n  prefix: inline-\n  fieldSpecs: [{path: metadata/name}]\n-- gen/kustomization.yaml --\nresources: [g.yaml]\nnamePrefix: from-\nnamespace: there\n-- gen/g.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: folder}\nliterals: [a=b]\n-- two.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: one}\n---\napiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: two}\n-- more.yaml --\napiVersion: builtin\nkind: SuffixTransformer\nmetadata: {name: s}\nsuffix: -file\nfieldSpecs: [{path: metadata/name}]\n-- trans/kustomization.yaml --\nresources: [s.yaml]\nnameSuffix: -renamed\npatches:\n- target: {kind: SuffixTransformer}\n  patch: |-\n    - {op: replace, path: /suffix, value: -patched}\n-- trans/s.yaml --\napiVersion: builtin\nkind: SuffixTransformer\nmetadata: {name: s}\nsuffix: -folder\nfieldSpecs: [{path: metadata/name}]\n-- config.yaml --\n${configMap}`,
  },
  {
    name: "plugin: a folder of transformers, changed by its kustomization",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\nnamePrefix: field-\ntransformers: [trans, more]\n-- trans/kustomization.yaml --\nresources: [s.yaml]\nnameSuffix: -renamed\npatches:\n- target: {kind: SuffixTransformer}\n  patch: |-\n    - {op: replace, path: /suffix, value: -patched}\n-- trans/s.yaml --\napiVersion: builtin\nkind: SuffixTransformer\nmetadata: {name: s}\nsuffix: -folder\nfieldSpecs: [{path: metadata/name}]\n-- more/kustomization.yaml --\nresources: [../base, l.yaml]\n-- more/l.yaml --\napiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n-- base/kustomization.yaml --\nresources: [p.yaml]\n-- base/p.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: p.txt\ntarget: {kind: ConfigMap}\n-- p.txt --\n- {op: remove, path: /data/size}\n-- config.yaml --\n${configMap}`,
  },
  {
    name: "plugin: in bases and components",
    files: `-- kustomization.yaml --\nresources: [base]\ncomponents: [part]\ntransformers: [t.yaml]\n-- t.yaml --\napiVersion: builtin\nkind: SuffixTransformer\nmetadata: {name: s}\nsuffix: -top\nfieldSpecs: [{path: metadata/name}]\n-- base/kustomization.yaml --\nresources: [config.yaml, deploy.yaml]\ntransformers: [p.yaml]\n-- base/p.yaml --\napiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: s}\nprefix: base-\nfieldSpecs: [{path: metadata/name}]\n-- part/kustomization.yaml --\napiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ngenerators: [g.yaml]\ntransformers: [l.yaml]\nvalidators: [v.yaml]\n-- part/g.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: part}\nliterals: [a=b]\n-- part/l.yaml --\napiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n-- part/v.yaml --\napiVersion: builtin\nkind: ImageTagTransformer\nmetadata: {name: v}\nimageTag: {name: none}\n-- base/config.yaml --\n${configMap}-- base/deploy.yaml --\n${deployment}`,
  },
  {
    name: "plugin: a list of configurations",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\ntransformers: [t.yaml]\n-- t.yaml --\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: builtin, kind: PrefixTransformer, metadata: {name: a}, prefix: a-, fieldSpecs: [{path: metadata/name}]}\n- {apiVersion: builtin, kind: PrefixTransformer, metadata: {name: b}, prefix: b-, fieldSpecs: [{path: metadata/name}]}\n-- config.yaml --\n${configMap}`,
  },
  {
    name: "plugin: origins and transformations",
    files: `-- kustomization.yaml --\nresources: [base, config.yaml]\nbuildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\nnamespace: shop\ngenerators:\n- two.yaml\n- gen\n- |\n  apiVersion: builtin\n  kind: IAMPolicyGenerator\n  metadata: {name: i, namespace: j}\n  cloud: gke\n  kubernetesService: {name: runner}\n  serviceAccount: {name: a, projectId: b}\ntransformers:\n- trans/t.yaml\n- |\n  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata: {name: "12"}\n  prefix: p-\n  fieldSpecs: [{path: metadata/name}]\nvalidators:\n- |\n  apiVersion: builtin\n  kind: ImageTagTransformer\n  metadata: {name: v}\n-- two.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: one}\n---\napiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: two, namespace: there}\n-- gen/kustomization.yaml --\nresources: [g.yaml]\nnamePrefix: x-\n-- gen/g.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: three}\n-- trans/t.yaml --\napiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n-- base/kustomization.yaml --\nresources: [service.yaml]\ntransformers: [s.yaml]\ngenerators: [g.yaml]\n-- base/s.yaml --\napiVersion: builtin\nkind: SuffixTransformer\nmetadata: {name: s}\nsuffix: -base\nfieldSpecs: [{path: metadata/name}]\n-- base/g.yaml --\napiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: inbase}\n-- base/service.yaml --\n${service}-- config.yaml --\n${configMap}`,
  },
  {
    name: "plugin: only transformations",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\nbuildMetadata: [transformerAnnotations]\ngenerators: [g.yaml]\ntransformers: [t.yaml]\n-- g.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: settings}\nbehavior: merge\nliterals: [a=b]\n-- t.yaml --\napiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: t, namespace: shop}\n-- config.yaml --\n${configMap}`,
  },
  {
    name: "plugin: only origins",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\nbuildMetadata: [originAnnotations]\ngenerators: [g.yaml]\n-- g.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: settings}\nbehavior: replace\nliterals: [a=b]\n-- config.yaml --\n${configMap}`,
  },
  withObjects(
    "plugin: validators that find nothing",
    "validators:\n- |\n  apiVersion: builtin\n  kind: ImageTagTransformer\n  metadata: {name: x}\n  imageTag: {name: none}\n- |\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata: {name: x}\n  labels: {}\n",
  ),
  {
    name: "plugin: a validator that leaves its mark",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\nvalidators: [v.yaml]\n-- v.yaml --\napiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: v}\nlabels: {validated-by: me}\nfieldSpecs: [{path: metadata/labels, create: true}]\n-- config.yaml --\n${configMap}`,
  },
  withObjects("plugin: lists of nothing", "generators: []\ntransformers: []\nvalidators: []\n"),
  withObjects(
    "plugin: entries of nothing",
    'generators: [""]\ntransformers: ["# nothing", "---"]\nvalidators: ["null"]\n',
  ),
  withObjects("plugin: a file of nothing", "transformers: [t.yaml]\n", "-- t.yaml --\n# nothing\n"),
  {
    name: "plugin: behind the fields, in the order of the files",
    files: `-- kustomization.yaml --\nresources: [config.yaml]\nnamePrefix: field-\ntransformers: [b.yaml, a.yaml]\nreplacements:\n- {sourceValue: r, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.colour]}]}\n-- a.yaml --\napiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: a-\nfieldSpecs: [{path: metadata/name}]\n-- b.yaml --\napiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: b}\nprefix: b-\nfieldSpecs: [{path: metadata/name}, {path: data/colour}]\n-- config.yaml --\n${configMap}`,
  },
  {
    name: "a namespace of admission policies",
    files:
      "-- kustomization.yaml --\nnamespace: shop\nnamePrefix: a-\nresources: [p.yaml]\n-- p.yaml --\n" +
      ["v1", "v1beta1", "v1alpha1"]
        .flatMap((version) =>
          [
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
          ].map(
            (kind) =>
              `apiVersion: admissionregistration.k8s.io/${version}\nkind: ${kind}\nmetadata: {name: p}\nspec: {policyName: p, paramRef: {name: c, namespace: d}}\n`,
          ),
        )
        .join("---\n"),
  },
];
