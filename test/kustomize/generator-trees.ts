import { deployment, type Tree } from "./trees.js";

export const generatorTrees: readonly Tree[] = [
  {
    name: "config maps of literals, files and env files",
    files: `-- kustomization.yaml --
resources: [deploy.yaml]
configMapGenerator:
- name: settings
  literals:
  - a=x
  - b="quoted"
  - c='single'
  - d=e=f
  - number=12
  - yes=true
  - empty=
  files:
  - app.ini
  - other=sub/file.txt
  envs:
  - one.env
-- deploy.yaml --
${deployment}-- app.ini --
[main]
key = value

-- sub/file.txt --
no newline at the end is one-- one.env --
# comment
  INDENTED=1
KEY=value with spaces
QUOTED="stays"

NOVALUE
EQ=a=b
`,
  },
  {
    name: "secrets",
    files: `-- kustomization.yaml --
resources: [deploy.yaml]
secretGenerator:
- name: login
  literals: [user=admin, "password=s3cr3t"]
- name: tls
  type: kubernetes.io/tls
  files: [tls.crt]
  namespace: other
- name: empty
-- deploy.yaml --
${deployment}-- tls.crt --
a certificate that is long enough to be wrapped when it is written in base64, which happens at seventy letters
`,
  },
  {
    name: "an empty config map and one in a namespace",
    files: `-- kustomization.yaml --
configMapGenerator:
- name: empty
- name: there
  namespace: shop
  literals: [a=b]
`,
  },
  {
    name: "options of one and of all",
    files: `-- kustomization.yaml --
generatorOptions:
  labels: {all: "yes", both: global}
  annotations: {note: all}
  disableNameSuffixHash: true
configMapGenerator:
- name: one
  literals: [a=b]
  options:
    labels: {both: own, own: "1"}
    immutable: true
- name: two
  literals: [a=b]
secretGenerator:
- name: three
  literals: [a=b]
  options: {disableNameSuffixHash: false}
`,
  },
  {
    name: "hash or not, by each",
    files: `-- kustomization.yaml --
resources: [deploy.yaml]
configMapGenerator:
- name: settings
  literals: [a=b]
  options: {disableNameSuffixHash: true}
secretGenerator:
- name: login
  literals: [a=b]
  options: {immutable: true}
-- deploy.yaml --
${deployment}`,
  },
  {
    name: "merge into what a base generates",
    dir: "top",
    files: `-- base/kustomization.yaml --
resources: [deploy.yaml]
configMapGenerator:
- name: settings
  literals: [a=1, b=2]
secretGenerator:
- name: login
  literals: [user=u]
-- base/deploy.yaml --
${deployment}-- top/kustomization.yaml --
namePrefix: top-
resources: [../base]
configMapGenerator:
- name: settings
  behavior: merge
  literals: [b=3, c=4]
  options: {labels: {x: "y"}}
secretGenerator:
- name: login
  behavior: replace
  literals: [password=p]
`,
  },
  {
    name: "merge into a config map of a file",
    files: `-- kustomization.yaml --
resources: [config.yaml]
configMapGenerator:
- name: settings
  behavior: merge
  literals: [b=2]
-- config.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {l: m}}
data: {a: "1"}
`,
  },
  {
    name: "merge in an overlay of an overlay with a prefix between",
    dir: "c",
    files: `-- a/kustomization.yaml --
configMapGenerator:
- name: m
  literals: [a=1]
-- b/kustomization.yaml --
namePrefix: b-
resources: [../a]
-- c/kustomization.yaml --
resources: [../b]
configMapGenerator:
- name: m
  behavior: merge
  literals: [c=3]
`,
  },
  {
    name: "text of many kinds in data",
    files: `-- kustomization.yaml --
configMapGenerator:
- name: m
  files: [trailing.txt, tabs.txt, unicode.txt, spaces.txt, crlf.txt, long.txt]
-- trailing.txt --


after empty lines


-- tabs.txt --
	tab at the beginning
a	b
-- unicode.txt --
grüße ☃ 🎉
-- spaces.txt --
 leading and trailing 
-- crlf.txt --
a\r
b\r
-- long.txt --
${"word ".repeat(60).trim()}
`,
  },
  {
    name: "the deprecated env",
    files: `-- kustomization.yaml --
configMapGenerator:
- name: m
  env: one.env
secretGenerator:
- name: s
  env: one.env
  envs: [two.env]
-- one.env --
A=1
-- two.env --
B=2
`,
  },
  {
    name: "generated names within names: replacements, patches and hashes",
    files: `-- kustomization.yaml --
nameSuffix: -v1
resources: [deploy.yaml]
configMapGenerator:
- name: settings
  literals: [a=b]
patches:
- patch: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings}
    data: {patched: "yes"}
labels:
- pairs: {l: m}
-- deploy.yaml --
${deployment}`,
  },
];
