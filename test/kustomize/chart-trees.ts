import { configMap, type Tree } from "./trees.js";

const tree = (name: string, fields: string, files = ""): Tree => ({
  name: `charts: ${name}`,
  files: `-- kustomization.yaml --\n${fields}-- config.yaml --\n${configMap}${files}`,
});

const generator = (name: string, config: string, field = "generators"): Tree =>
  tree(name, `resources: [config.yaml]\n${field}: [x.yaml]\n`, `-- x.yaml --\napiVersion: builtin\n${config}`);

const values = (name: string, text: string): Tree =>
  tree(
    `values: ${name}`,
    `helmCharts:\n- name: minecraft\n  valuesInline:\n${text.replaceAll(/^/gm, "    ").trimEnd()}\n`,
  );

const chart = "helmCharts:\n- name: minecraft\n  repo: https://x.example\n  version: 1.0.0\n";
const base = (fields: string): string => `-- base/kustomization.yaml --\n${fields}`;

/** Charts are not enabled, so that each is refused with the configuration that its generator gets. */
export const chartTrees: readonly Tree[] = [
  tree("one", chart),
  tree("of several the first", `${chart}- name: other\n  repo: https://y.example\n`),
  tree("one behind an entry that is null", "helmCharts: [null, {name: minecraft}]\n"),
  tree("none", "resources: [config.yaml]\nhelmCharts: []\nhelmGlobals: {chartHome: c}\n"),
  tree("globals alone", "helmGlobals: {}\n"),
  tree("no fields at all", "helmCharts: []\n"),
  tree("without a name", "helmCharts:\n- repo: https://x.example\n"),
  tree("without anything", "helmCharts:\n- {}\n"),
  tree(
    "fields that are empty",
    "helmCharts: [{name: '', debug: false, apiVersions: [], valuesInline: {}, repo: null}]\n",
  ),
  tree("entries that are empty", "helmCharts: [{apiVersions: [''], additionalValuesFiles: [null, b]}]\n"),
  tree(
    "every field",
    `helmGlobals: {chartHome: homes, configHome: /tmp/config}
helmCharts:
- {name: a, version: "1.0", repo: 'oci://x.example/charts', releaseName: rel, namespace: "null", valuesFile: v.yaml,
   additionalValuesFiles: [b.yaml, a.yaml], valuesInline: {b: 1, a: 2}, valuesMerge: sideways, includeCRDs: true,
   skipHooks: true, skipTests: true, debug: true, devel: true, apiVersions: [apps/v1, v1], kubeVersion: "1.30",
   nameTemplate: "{{ .Name }}"}
`,
  ),
  tree("fields in other letters", "helmglobals: {CHARTHOME: a}\nhelmCharts: [{NAME: minecraft, includecrds: true}]\n"),
  tree("a field that charts do not have", "helmCharts: [{name: minecraft, chart: b}]\n"),
  tree("a field of another type", "helmCharts: [{name: minecraft, version: 1.0}]\n"),
  tree("values that are text", "helmCharts: [{name: minecraft, valuesInline: text}]\n"),
  tree("globals of another type", "helmGlobals: [a]\n"),
  tree("one's empty globals", `helmGlobals: {chartHome: ""}\n${chart}`),
  tree("globals", `helmGlobals: {configHome: b}\n${chart}`),
  tree("the namespace of the kustomization", `namespace: shop\n${chart}`),
  tree("a namespace of its own", `namespace: shop\n${chart}  namespace: own\n`),
  tree("a namespace from above", "namespace: shop\nresources: [base]\n", base(chart)),
  tree(
    "a namespace from far above",
    "namespace: shop\nresources: [middle]\n",
    `-- middle/kustomization.yaml --\nresources: [../base]\n${base(chart)}`,
  ),
  tree(
    "a namespace from near above",
    "namespace: shop\nresources: [middle]\n",
    `-- middle/kustomization.yaml --\nnamespace: near\nresources: [../base]\n${base(chart)}`,
  ),
  tree("a namespace of the base", "namespace: shop\nresources: [base]\n", base(`namespace: low\n${chart}`)),
  tree(
    "in a component",
    "namespace: shop\nresources: [config.yaml]\ncomponents: [base]\n",
    base(`apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${chart}`),
  ),
  tree("in a folder of transformers", "namespace: shop\ntransformers: [base]\n", base(chart)),
  tree("beside a resource that is missing", `resources: [none.yaml]\n${chart}`),
  tree("beside a ConfigMap that cannot be made", `configMapGenerator: [{name: a, files: [none]}]\n${chart}`),
  tree("beside a generator that is missing", `generators: [none.yaml]\n${chart}`),
  tree("beside a component that is missing", `components: [none]\n${chart}`),
  tree("beside a patch that is missing", `patches: [{path: none.yaml}]\n${chart}`),
  tree("with a deprecated field", `commonLabels: {a: b}\nresources: [config.yaml]\n${chart}`),
  tree("with origins", `buildMetadata: [originAnnotations]\nresources: [config.yaml]\n${chart}`),
  values("numbers", "a: 1\nb: 1.0\nc: 0.1\nd: -0.0\ne: 1e3\nf: 1e21\ng: 1e-7\nh: 0x1F\ni: 1_000\nj: 010\n"),
  values(
    "long numbers",
    "a: 9007199254740993\nb: 12345678901234567890\nc: 100000000000000000000\nd: 123456789012345678901234567890\ne: -9223372036854775808\nf: 3000000000\ng: 1.7976931348623157e308\nh: 12345678.9\n",
  ),
  values("what is empty", "a: null\nb: ''\nc: []\nd: {}\ne: false\nf: 0\ng: [null, '', {}]\nh: {i: null}\n"),
  values(
    "texts",
    `a: "1"\nb: "true"\nc: "a: b"\nd: "  x"\ne: |\n  one\n  two\nf: yes\ng: <&>\nh: "é\\u2028"\ni: 2020-01-01\n`,
  ),
  values("long text", `a: ${"many words ".repeat(20)}end\n`),
  values("keys", "1: a\ntrue: b\nz10: c\nz9: d\nB: e\na: f\n"),
  values("a control character", 'a: "\\x7f"\n'),
  values("numbers beyond doubles", "a: 1e400\nb: -2e308\n"),
  values("an alias", "a: &x {b: [c]}\nd: *x\n"),
  values("a deep list", "a:\n- - b\n  - c: [d]\n- e: {f: [{g: h}]}\n"),
  tree(
    "the deprecated field",
    `helmChartInflationGenerator:
- {chartName: minecraft, chartVersion: 3.1.3, chartRepoUrl: https://x.example, chartHome: homes, chartRepoName: r,
   helmBin: b, helmHome: /h, values: v.yaml, valuesMerge: merge, releaseName: rel, releaseNamespace: ns,
   valuesLocal: {a: {b: 1}}, extraArgs: [c]}
`,
  ),
  tree("the deprecated field without a name", "helmChartInflationGenerator: [{}]\n"),
  tree("the deprecated field without an entry", "helmChartInflationGenerator: []\n"),
  tree(
    "the last folders of the deprecated field",
    "helmChartInflationGenerator: [{chartName: a, chartHome: b}, {chartHome: c, helmHome: d}, {chartHome: '', helmHome: ''}]\n",
  ),
  tree(
    "the deprecated field beside globals",
    "helmGlobals: {configHome: e}\nhelmChartInflationGenerator: [{chartName: a, chartHome: b}]\n",
  ),
  tree("the deprecated field beside empty globals", "helmGlobals: {}\nhelmChartInflationGenerator: [{chartHome: b}]\n"),
  tree("both fields", `helmChartInflationGenerator: [{chartName: a, chartHome: b}]\n${chart}`),
  tree("the deprecated field in a namespace", "namespace: shop\nhelmChartInflationGenerator: [{chartName: a}]\n"),
  tree("the deprecated field of another type", "helmChartInflationGenerator: [{chartName: 1}]\n"),
  generator("a generator", "kind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: minecraft\n"),
  generator("a generator in a namespace", "kind: HelmChartInflationGenerator\nmetadata: {name: x, namespace: y}\n"),
  generator("a generator without a name", "kind: HelmChartInflationGenerator\nname: minecraft\n"),
  generator(
    "a generator of another shape",
    "kind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: [a]\nvaluesInline: text\n",
  ),
  generator(
    "a generator as a transformer",
    "kind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: minecraft\n",
    "transformers",
  ),
  generator(
    "a generator as a validator",
    "kind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: minecraft\n",
    "validators",
  ),
  tree(
    "a generator in the kustomization",
    "generators:\n- |\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: x}\n",
  ),
  tree(
    "a field before a generator",
    `generators:\n- |\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: x}\n${chart}`,
  ),
];
