import { configMap, type Tree } from "./trees.js";

const tree = (name: string, fields: string, files = ""): Tree => ({
  name: `wrong plugin: ${name}`,
  files: `-- kustomization.yaml --\nresources: [config.yaml]\n${fields}-- config.yaml --\n${configMap}${files}`,
});

const inFile = (name: string, config: string, files = "", field = "transformers"): Tree =>
  tree(name, `${field}: [x.yaml]\n`, `-- x.yaml --\n${config}${files}`);

const builtin = (name: string, config: string, files = ""): Tree =>
  inFile(name, `apiVersion: builtin\n${config}`, files);
const generator = (name: string, config: string, files = ""): Tree =>
  inFile(name, `apiVersion: builtin\n${config}`, files, "generators");
const validator = (name: string, config: string): Tree =>
  inFile(name, `apiVersion: builtin\n${config}`, "", "validators");

const prefix = "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: a-\nfieldSpecs: [{path: metadata/name}]\n";

export const wrongPluginTrees: readonly Tree[] = [
  inFile("external transformer", "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\n"),
  inFile("external generator", "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\n", "", "generators"),
  inFile("external validator", "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\n", "", "validators"),
  tree(
    "external transformer in the kustomization",
    "transformers:\n- |\n  apiVersion: example.com/v1\n  kind: Foo\n  metadata: {name: x}\n",
  ),
  inFile(
    "a program",
    "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./run.sh}\n",
    "-- run.sh --\n",
  ),
  inFile(
    "a container",
    "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      container: {image: example.com/foo}\n",
    "",
    "generators",
  ),
  builtin(
    "a container of a built-in kind",
    "kind: Foo\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      container: {image: example.com/foo}\n",
  ),
  inFile("another version", "apiVersion: builtin/v1\nkind: PrefixTransformer\nmetadata: {name: x}\n"),
  inFile("version of a core kind", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"),
  inFile("no version", "kind: PrefixTransformer\nmetadata: {name: x}\n"),
  builtin("unknown kind", "kind: Foo\nmetadata: {name: x}\n"),
  generator("unknown kind of generator", "kind: Foo\nmetadata: {name: x}\n"),
  builtin("kind in other letters", "kind: prefixtransformer\nmetadata: {name: x}\n"),
  builtin("the order", "kind: SortOrderTransformer\nmetadata: {name: x}\nsortOptions: {order: legacy}\n"),
  builtin("the deprecated order", "kind: LegacyOrderTransformer\nmetadata: {name: x}\n"),
  builtin("no name", "kind: PrefixTransformer\nprefix: a-\n"),
  builtin("no kind", "metadata: {name: x}\n"),
  generator("a transformer as a generator", prefix),
  generator("a wrong transformer as a generator", "kind: PrefixTransformer\nmetadata: {name: x}\n"),
  builtin("a generator as a transformer", "kind: ConfigMapGenerator\nmetadata: {name: x, namespace: y}\n"),
  validator("a generator as a validator", "kind: SecretGenerator\nmetadata: {name: x}\n"),
  tree("a file that is not there", "transformers: [none.yaml]\n"),
  tree("a generator that is not there", "generators: [none.yaml]\n"),
  tree("a validator that is not there", "validators: [none.yaml]\n"),
  tree("a file above", "transformers: [../none.yaml]\n"),
  tree("a folder that is no kustomization", "transformers: [sub]\n", "-- sub/x.yaml --\na: b\n"),
  tree("a folder of generators that is no kustomization", "generators: [sub]\n", "-- sub/x.yaml --\na: b\n"),
  tree("a cycle", "transformers: [.]\n"),
  tree("a cycle through a folder", "generators: [sub]\n", "-- sub/kustomization.yaml --\nresources: [..]\n"),
  tree("a component", "transformers: [sub]\n", "-- sub/kustomization.yaml --\nkind: Component\nnamePrefix: a-\n"),
  tree(
    "a wrong plugin in a folder's kustomization",
    "transformers: [sub]\n",
    "-- sub/kustomization.yaml --\ntransformers: [x.yaml]\n-- sub/x.yaml --\napiVersion: builtin\nkind: Foo\nmetadata: {name: x}\n",
  ),
  tree(
    "a wrong plugin in a base",
    "transformers: []\ncomponents: [sub]\n",
    "-- sub/kustomization.yaml --\nkind: Component\ngenerators: [x.yaml]\n-- sub/x.yaml --\napiVersion: builtin\nkind: Foo\nmetadata: {name: x}\n",
  ),
  builtin(
    "a folder of objects",
    "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: a-\nfieldSpecs: [{path: metadata/name}]\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
  ),
  tree(
    "the same configuration twice",
    "transformers:\n- |\n  apiVersion: builtin\n  kind: HashTransformer\n  metadata: {name: x}\n- |\n  apiVersion: builtin\n  kind: HashTransformer\n  metadata: {name: x}\n",
  ),
  tree(
    "the same generator twice",
    "generators:\n- |\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: x}\n- |\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: x}\n",
  ),
  tree(
    "the same configuration in a file",
    "transformers: [x.yaml, y.yaml]\n",
    `-- x.yaml --\napiVersion: builtin\n${prefix}-- y.yaml --\napiVersion: builtin\n${prefix}`,
  ),
  tree(
    "the same configuration twice in one entry",
    "transformers:\n- |\n  apiVersion: builtin\n  kind: HashTransformer\n  metadata: {name: x}\n  ---\n  apiVersion: builtin\n  kind: HashTransformer\n  metadata: {name: x}\n",
  ),
  generator(
    "a generated object that is there",
    "kind: ConfigMapGenerator\nmetadata: {name: settings}\nliterals: [a=b]\n",
  ),
  tree(
    "a generated object that is there, with origins",
    "buildMetadata: [originAnnotations]\ngenerators: [x.yaml]\n",
    "-- x.yaml --\napiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: settings}\nbehavior: create\n",
  ),
  generator("a merge into what is not there", "kind: ConfigMapGenerator\nmetadata: {name: none}\nbehavior: merge\n"),
  generator(
    "a policy twice",
    "kind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: gke\nkubernetesService: {name: a}\n---\napiVersion: builtin\nkind: IAMPolicyGenerator\nmetadata: {name: y}\ncloud: gke\nkubernetesService: {name: a}\n",
  ),
  generator("another cloud", "kind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: azure\n"),
  generator("no cloud", "kind: IAMPolicyGenerator\nmetadata: {name: x}\n"),
  generator("a policy of a list", "kind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: [gke]\n"),
  generator(
    "a policy with a wrong name",
    'kind: IAMPolicyGenerator\nmetadata: {name: x}\ncloud: gke\nkubernetesService: {name: "a: b"}\n',
  ),
  generator("literals that are none", "kind: ConfigMapGenerator\nmetadata: {name: x}\nliterals: [ab]\n"),
  generator("literals that are no list", "kind: ConfigMapGenerator\nmetadata: {name: x}\nliterals: ab\n"),
  generator("an own name that is a number", "kind: ConfigMapGenerator\nmetadata: {name: x}\nname: 12\n"),
  generator("labels of an embedded field", "kind: SecretGenerator\nmetadata: {name: x}\noptions: {labels: {a: 1}}\n"),
  generator("a file that a generator lacks", "kind: SecretGenerator\nmetadata: {name: x}\nfiles: [none.txt]\n"),
  builtin("prefix without fields", "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: a-\n"),
  builtin("suffix with null fields", "kind: SuffixTransformer\nmetadata: {name: x}\nsuffix: -a\nfieldSpecs: null\n"),
  builtin("prefix and suffix without fields", "kind: PrefixSuffixTransformer\nmetadata: {name: x, namespace: y}\n"),
  builtin("prefix of a list", "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: [a]\nfieldSpecs: []\n"),
  builtin("fields that are no list", "kind: PrefixTransformer\nmetadata: {name: x}\nfieldSpecs: {path: a}\n"),
  builtin(
    "many faults in a prefix",
    "kind: PrefixTransformer\nmetadata: {name: x}\nprefix: {a: b}\nfieldSpecs:\n- {path: [a], create: 'true'}\n- text\n- {path: 1, kind: null, create: a rather long text}\n- 12\n- {create: 2024-01-01}\n",
  ),
  builtin(
    "prefix in other letters",
    "kind: PrefixTransformer\nmetadata: {name: x}\nPrefix: a-\nFieldSpecs: [{path: metadata/name}]\n",
  ),
  builtin(
    "suffix that is a boolean and fields of a number",
    "kind: SuffixTransformer\nmetadata: {name: x}\nsuffix: true\nfieldSpecs: 12\n",
  ),
  builtin("a field's path that is a list", "kind: LabelTransformer\nmetadata: {name: x}\nfieldSpecs: [{path: [a]}]\n"),
  builtin(
    "a field's kind that is a number",
    "kind: LabelTransformer\nmetadata: {name: x}\nlabels: {a: b}\nfieldSpecs: [{path: a, kind: 1}]\n",
  ),
  builtin("labels that are a list", "kind: LabelTransformer\nmetadata: {name: x}\nlabels: [a]\n"),
  builtin(
    "labels in a field of another shape",
    "kind: LabelTransformer\nmetadata: {name: x}\nlabels: {a: b}\nfieldSpecs: [{path: data/colour}]\n",
  ),
  builtin("annotations of a list", "kind: AnnotationsTransformer\nmetadata: {name: x}\nannotations: {a: [b]}\n"),
  builtin("an image of text", "kind: ImageTagTransformer\nmetadata: {name: x}\nimageTag: nginx\n"),
  builtin(
    "an image in a field of another shape",
    "kind: ImageTagTransformer\nmetadata: {name: x}\nimageTag: {name: a, newTag: b}\nfieldSpecs: [{path: data}]\n",
  ),
  builtin(
    "replicas of nothing",
    "kind: ReplicaCountTransformer\nmetadata: {name: x}\nreplica: {name: web, count: 2}\nfieldSpecs: [{path: spec/replicas, kind: Deployment, group: apps}]\n",
  ),
  builtin(
    "replicas without fields",
    "kind: ReplicaCountTransformer\nmetadata: {name: x}\nreplica: {name: settings, count: 2}\n",
  ),
  builtin(
    "replicas of text",
    "kind: ReplicaCountTransformer\nmetadata: {name: x}\nreplica: {name: settings, count: two}\n",
  ),
  builtin(
    "unknown mode of subjects",
    "kind: NamespaceTransformer\nmetadata: {name: x, namespace: y}\nsetRoleBindingSubjects: some\n",
  ),
  builtin("namespace of a list", "kind: NamespaceTransformer\nmetadata: {name: x, namespace: y}\nunsetOnly: [a]\n"),
  builtin(
    "namespace in a field of another shape",
    "kind: NamespaceTransformer\nmetadata: {name: x, namespace: y}\nfieldSpecs: [{path: data}]\n",
  ),
  builtin("a patch of nothing", "kind: PatchTransformer\nmetadata: {name: x}\n"),
  builtin(
    "a patch of both",
    "kind: PatchTransformer\nmetadata: {name: x}\npatch: a\npath: b\ntarget: {kind: Pod, labelSelector: 1}\n",
  ),
  builtin("a patch that is not there", "kind: PatchTransformer\nmetadata: {name: x}\npath: none.yaml\n"),
  builtin("a patch that is none", "kind: PatchTransformer\nmetadata: {name: x}\npatch: text\n"),
  builtin(
    "a patch of what is not there",
    "kind: PatchTransformer\nmetadata: {name: x}\npatch: '{apiVersion: v1, kind: Pod, metadata: {name: p}}'\n",
  ),
  builtin("a target of a number", "kind: PatchTransformer\nmetadata: {name: x}\npatch: '[]'\ntarget: {name: 12}\n"),
  builtin(
    "a JSON patch without a target",
    'kind: PatchTransformer\nmetadata: {name: x}\npatch: \'[{"op": "remove", "path": "/data"}]\'\n',
  ),
  builtin(
    "a deprecated JSON patch without a name",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap}\n",
  ),
  builtin(
    "a deprecated JSON patch of nothing",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap, name: settings}\n",
  ),
  builtin(
    "a deprecated JSON patch of both",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap, name: settings}\npath: a\njsonOp: b\n",
  ),
  builtin(
    "a deprecated JSON patch that is none",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap, name: settings}\njsonOp: '[{op: test}]'\n",
  ),
  builtin(
    "a deprecated JSON patch that is an object",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap, name: settings}\njsonOp: 'b: 1.50'\n",
  ),
  builtin(
    "a deprecated JSON patch of an empty file",
    "kind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap, name: settings}\npath: p\n",
    "-- p --\n",
  ),
  builtin("strategic merge of nothing", "kind: PatchStrategicMergeTransformer\nmetadata: {name: x}\n"),
  builtin(
    "strategic merge of an empty patch",
    "kind: PatchStrategicMergeTransformer\nmetadata: {name: x}\npatches: '# none'\n",
  ),
  builtin(
    "strategic merge of a file that is not there",
    "kind: PatchStrategicMergeTransformer\nmetadata: {name: x}\npaths: [none.yaml]\n",
  ),
  builtin(
    "strategic merge of what is not there",
    "kind: PatchStrategicMergeTransformer\nmetadata: {name: x}\npatches: '{apiVersion: v1, kind: Pod, metadata: {name: p}}'\n",
  ),
  builtin("strategic merge of no object", "kind: PatchStrategicMergeTransformer\nmetadata: {name: x}\npatches: text\n"),
  builtin(
    "a replacement of both",
    "kind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{path: a, source: {kind: Pod}}]\n",
  ),
  builtin(
    "a replacement that is not there",
    "kind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{path: none.yaml}]\n",
  ),
  builtin(
    "a replacement of nothing",
    "kind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{source: {kind: Pod}}]\n",
  ),
  builtin(
    "a replacement whose file has a wrong type",
    "kind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{path: r.yaml}]\n",
    "-- r.yaml --\nsource: [a]\n",
  ),
  builtin("a value for nothing", "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\n"),
  builtin(
    "a value for no field",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargets: [{selector: {kind: ConfigMap}}]\n",
  ),
  builtin(
    "a value at a negative place",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargets: [{fieldPath: data/colour, filePathPosition: -1}]\n",
  ),
  builtin(
    "a value for a map",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargets: [{fieldPath: data}]\n",
  ),
  builtin(
    "a value below a scalar",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargets: [{fieldPath: data/colour/deep}]\n",
  ),
  builtin(
    "a value's targets that are not there",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargetFilePath: none.yaml\n",
  ),
  builtin(
    "a value's targets of another shape",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargetFilePath: t.yaml\n",
    "-- t.yaml --\ntargets: text\n",
  ),
  builtin(
    "a value's target whose selector is none",
    'kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: v\ntargets: [{fieldPath: a, selector: {name: "[a"}}]\n',
  ),
  validator(
    "it changes an object",
    "kind: AnnotationsTransformer\nmetadata: {name: x}\nannotations: {a: b}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
  ),
  validator(
    "it sets what is there already",
    "kind: ValueAddTransformer\nmetadata: {name: x}\nvalue: blue\ntargets: [{fieldPath: data/colour}]\n",
  ),
  validator("it renames", prefix),
  validator(
    "it deletes",
    "kind: PatchTransformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap}\npatch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, $patch: delete}'\n",
  ),
  validator(
    "it patches with nothing",
    "kind: PatchTransformer\nmetadata: {name: x}\npatch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}'\n",
  ),
  validator(
    "it tests",
    "kind: PatchTransformer\nmetadata: {name: x}\ntarget: {kind: ConfigMap}\npatch: |\n  - {op: test, path: /data/colour, value: red}\n",
  ),
  validator("it fails", "kind: ReplicaCountTransformer\nmetadata: {name: x}\n"),
  tree(
    "a mark on an object with labels",
    "labels: [{pairs: {a: b}}]\nvalidators: [x.yaml]\n",
    "-- x.yaml --\napiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: v}\nlabels: {validated-by: me}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
  ),
  builtin(
    "an origin that is none",
    "kind: HashTransformer\nmetadata: {name: x, annotations: {config.kubernetes.io/origin: 'a: b: c'}}\n",
  ),
  generator(
    "a generator's origin that is none",
    "kind: SecretGenerator\nmetadata: {name: x, annotations: {config.kubernetes.io/origin: 'path: [a]'}}\n",
  ),
  tree(
    "transformations that are none",
    "buildMetadata: [transformerAnnotations]\ncomponents: [o]\nnamePrefix: a-\n",
    "-- o/kustomization.yaml --\nkind: Component\nresources: [o.yaml]\n-- o/o.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: o, annotations: {alpha.config.kubernetes.io/transformations: text}}\n",
  ),
  inFile("an empty file", ""),
  inFile("text", "just text\n"),
  inFile("no YAML", "apiVersion: builtin\n kind: X\n"),
  inFile("no YAML in a generator", "apiVersion: builtin\nkind: X\nmetadata:\n  name: [\n", "", "generators"),
  tree("an entry that is no YAML", 'transformers:\n- "a: [\\nb"\n'),
  tree("an entry without a name", "transformers:\n- |\n  apiVersion: builtin\n  kind: HashTransformer\n"),
  tree("entries that are objects", "transformers:\n- {apiVersion: builtin, kind: HashTransformer}\n"),
  tree("plugins that are text", "generators: x.yaml\n"),
  tree(
    "the namespace makes two objects one",
    "resources: [config.yaml, o.yaml]\ntransformers: [x.yaml]\n",
    `-- o.yaml --\n${configMap.replace("name: settings", "name: settings\n  namespace: b")}-- x.yaml --\napiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: x, namespace: y}\n`,
  ),
];
