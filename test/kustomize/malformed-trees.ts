import type { Tree } from "./trees.js";

const head = "# comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

const resource = (name: string, text: string): Tree => ({
  name: `malformed: ${name}`,
  files: `-- kustomization.yaml --\nresources: [r.yaml]\n-- r.yaml --\n${text}`,
});

/** The line that is named depends on where the construct began, and whether the scanner or the parser found the fault. */
export const malformedTrees: readonly Tree[] = [
  resource("the first line", "a: b: c\n"),
  resource("a key that is indented too deep", `${head}data:\n  a: b\n   c: d\n`),
  resource("a key that is not indented enough", `${head}data:\n    a: b\n  c: d\n`),
  resource("text where a key belongs", `${head}data:\n  a: b\n  c\n`),
  resource("text where a key belongs, at the top", `${head}text\nmore: here\n`),
  resource("a list that is not closed", `${head}data:\n  a: [b,\n    c\n  d: e\n`),
  resource("a list that is not closed at the end", `${head}data: [a\n`),
  resource("a list that is not closed on the first line", "a: [b\nc: d\n"),
  resource("braces that are not closed", `${head}data: {a: b,\n  c: d\nmore: e\n`),
  resource("a bracket for a brace", `${head}data: {a: b]\n`),
  resource("a bracket too many", `${head}data: [a]]\n`),
  resource("quotes that are not closed", `${head}data:\n  a: "b\n  c: d\n\n`),
  resource("single quotes that are not closed", `${head}data:\n  a: 'b\n\n  c: d\n`),
  resource("a document within quotes", `${head}data:\n  a: "b\n...\n`),
  resource("an unknown escape", `${head}data:\n  a: "b\n    \\q"\n`),
  resource("an escape without digits", `${head}data:\n  a: "\\x1"\n`),
  resource("a tab for indentation", `${head}data:\n\ta: b\n`),
  resource("a tab in a block", `${head}data:\n  a: |\n\tb\n`),
  resource("a tab in text over several lines", `${head}data:\n  a: b\n\tc\n`),
  resource("a block with a wrong header", `${head}data:\n  a: |x\n    b\n`),
  resource("a block with no indentation", `${head}data:\n  a: |0\n    b\n`),
  resource("a line that leaves a block", `${head}data:\n  a: |\n    b\n c\n  d: e\n`),
  resource("a list in a map", `${head}data:\n  a: b\n  - c\n`),
  resource("a map in a list", `${head}data:\n- a\nb: c\n- d\n`),
  resource("a value that begins with a percent sign", `${head}data:\n  a: %b\n`),
  resource("a value that begins with an at sign", `${head}data: {a: @b}\n`),
  resource("an alias of nothing", `${head}data: {a: *b}\n`),
  resource("an alias without a name", `${head}data: {a: * }\n`),
  resource("an anchor with another letter", `${head}data: {a: &b# c}\n`),
  resource("a tag that is not closed", `${head}data: {a: !<tag b}\n`),
  resource("an undefined tag handle", `${head}data:\n  a: !b!c d\n`),
  resource("a key without text", `${head}data:\n  a: b\n: c\n`),
  resource("a key without text in braces", `${head}data: {a: b,\n  : c}\n`),
  resource("a value that begins with a colon in braces", `${head}data: {a: :b}\n`),
  resource("nothing, though values begin like indicators", `${head}data:\n  a: :8080\n  b: ?x\n  c: 'd'\n`),
  resource("a directive", `%YAML 1.3\n---\n${head}`),
  resource("a directive that is unknown", `# c\n%FOO 1\n---\n${head}`),
  resource("text behind the end of a document", `${head}...\na: b: c\n`),
  resource("a second document", `${head}---\n${head}data:\n  a: b\n c: d\n`),
  resource("a control character", `${head}data: {a: "\u0007"}\n`),
  resource("a merge of text", `${head}data:\n  <<: text\n`),
  resource("a merge of a list of text", `${head}data:\n  <<: [text]\n`),
  resource("a list as a key", `${head}data:\n  ? [b, c]\n  : d\n`),
  resource("a map as a key at the top", "kind: A\nmetadata: {name: a}\n? a: b\n: c\n"),
  resource("a list as a key at the top", "kind: A\nmetadata: {name: a}\n? - a\n  - b\n"),
  resource("two merges", `${head}data: {<<: {a: b}, <<: {c: d}}\n`),
  {
    name: "malformed: a patch",
    files: `-- kustomization.yaml --\nresources: [r.yaml]\npatchesStrategicMerge: [p.yaml]\n-- r.yaml --\n${head}-- p.yaml --\n${head}data:\n  a: b\n   c: d\n`,
  },
  {
    name: "malformed: a plugin",
    files: `-- kustomization.yaml --\ntransformers: [t.yaml]\n-- t.yaml --\napiVersion: builtin\nkind: HashTransformer\nmetadata:\n  name: a\n b: c\n`,
  },
  {
    name: "malformed: a file of a base",
    files: `-- kustomization.yaml --\nresources: [base]\n-- base/kustomization.yaml --\nresources: [r.yaml]\n-- base/r.yaml --\n${head}data: {a: [}\n`,
  },
  {
    name: "malformed: the kustomization",
    files: `-- kustomization.yaml --\nresources:\n- a.yaml\nlabels:\n- pairs: {a: b\n`,
  },
  {
    name: "malformed: a configuration",
    files: `-- kustomization.yaml --\nresources: []\nconfigurations: [c.yaml]\n-- c.yaml --\nnamePrefix:\n- path: a\n   kind: b\n`,
  },
];
