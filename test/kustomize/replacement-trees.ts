import { configMap, deployment, service, type Tree } from "./trees.js";

const replaced = (name: string, replacements: string, files = ""): Tree => ({
  name,
  files: `-- kustomization.yaml --
resources: [deploy.yaml, service.yaml, config.yaml]
replacements:
${replacements}-- deploy.yaml --
${deployment}-- service.yaml --
${service}-- config.yaml --
${configMap}${files}`,
});

export const replacementTrees: readonly Tree[] = [
  replaced(
    "a name into a field",
    `- source: {kind: Service, name: web}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.template.spec.containers.0.env.0.value, "metadata.labels.app"]
`,
  ),
  replaced(
    "by the name of a list's element",
    `- source: {kind: ConfigMap, fieldPath: data.colour}
  targets:
  - select: {name: web}
    fieldPaths:
    - "spec.template.spec.containers.[name=main].env.[name=MODE].value"
    reject:
    - {kind: Service}
`,
  ),
  replaced(
    "a part of the source and of the target",
    `- source: {kind: Deployment, fieldPath: "spec.template.spec.containers.0.image", options: {delimiter: ":", index: 1}}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.initContainers.0.image"]
    options: {delimiter: ":", index: 1}
- source: {kind: ConfigMap, fieldPath: data.colour}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.initContainers.[name=init].image"]
    options: {delimiter: "/", index: -1}
- source: {kind: ConfigMap, fieldPath: data.size}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.initContainers.[name=init].image"]
    options: {delimiter: "-", index: 7}
`,
  ),
  replaced(
    "what is missing is made",
    `- source: {kind: ConfigMap, fieldPath: data.colour}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [metadata.annotations.colour, "spec.template.spec.containers.[name=new].image", spec.list.0]
    options: {create: true}
`,
  ),
  replaced(
    "numbers and maps",
    `- source: {kind: Deployment, fieldPath: spec.replicas}
  targets:
  - select: {kind: Service}
    fieldPaths: ["spec.ports.0.port", "spec.ports.*.targetPort"]
- source: {kind: Deployment, fieldPath: spec.selector.matchLabels}
  targets:
  - select: {kind: Service}
    fieldPaths: [spec.selector]
  - select: {kind: ConfigMap}
    fieldPaths: [data]
`,
  ),
  replaced(
    "every element",
    `- source: {kind: ConfigMap, fieldPath: data.colour}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.containers.*.name"]
`,
  ),
  replaced(
    "a static value",
    `- sourceValue: fixed
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: [data.colour]
- sourceValue: "12"
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: [data.made]
    options: {create: true}
`,
  ),
  replaced(
    "of files, a list and a single one",
    "- path: one.yaml\n- path: many.yaml\n",
    `-- one.yaml --
source: {kind: ConfigMap, fieldPath: data.colour}
targets:
- select: {kind: Service}
  fieldPaths: [spec.selector.app]
-- many.yaml --
- source: {kind: ConfigMap, fieldPath: data.size}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.replicas]
`,
  ),
  replaced(
    "the default field is the name",
    `- source: {kind: ConfigMap}
  targets:
  - select: {kind: Service}
`,
  ),
  replaced(
    "rejects",
    `- source: {kind: ConfigMap, fieldPath: data.colour}
  targets:
  - select: {version: v1}
    reject:
    - {kind: Service, name: web}
    - {kind: ConfigMap}
    - labelSelector: app=none
    fieldPaths: [metadata.name]
`,
  ),
  {
    name: "within a text that is YAML or JSON",
    files: `-- kustomization.yaml --
resources: [config.yaml]
replacements:
- sourceValue: new
  targets:
  - select: {kind: ConfigMap}
    fieldPaths:
    - data.compact\\.json.a.b
    - data.pretty\\.json.list.1.name
    - data.plain\\.yaml.host
    - data.[deep.yaml].servers.[name=two].address
-- config.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  compact.json: '{"z":1,"a":{"b":"old"}}'
  pretty.json: |-
    {
      "list": [
        {"name": "x"},
        {"name": "<y>"}
      ]
    }
  plain.yaml: |
    port: 80
    host: old
    list:
    - a
    - b
  deep.yaml: |-
    servers:
    - name: one
      address: a
    - name: two
      address: b
`,
  },
  {
    name: "names after prefixes, by the names before",
    files: `-- kustomization.yaml --
namePrefix: p-
resources: [service.yaml, config.yaml]
replacements:
- source: {kind: Service, name: web}
  targets:
  - select: {kind: ConfigMap, name: settings}
    fieldPaths: [data.colour]
-- service.yaml --
${service}-- config.yaml --
${configMap}`,
  },
  {
    name: "dots and patterns in paths",
    files: `-- kustomization.yaml --
resources: [thing.yaml]
replacements:
- source: {kind: Thing, fieldPath: metadata.annotations.a\\.b/c}
  targets:
  - select: {kind: Thing}
    fieldPaths:
    - spec.[x.y].z
    - spec.list.[name=t.*].v
    - spec.words.[=b]
-- thing.yaml --
apiVersion: example.com/v1
kind: Thing
metadata: {name: t, annotations: {a.b/c: value}}
spec:
  x.y: {z: old}
  list:
  - {name: two, v: a}
  - {name: three, v: b}
  - {name: one, v: "c"}
  words: [a, b, c]
`,
  },
];
