import { describe, expect, test } from "vitest";
import { commandFaults } from "./command-faults.js";
import { blocksOf, slugOf } from "./markdown-blocks.js";

const page = (...lines: string[]): string => [...lines, ""].join("\n");

describe("the docs tests read a code block of a page", () => {
  test("by its info string, and name it by its first line or its heading", () => {
    const text = page(
      "# Tea",
      "```ts",
      "// tea.ts",
      "```",
      "## Green tea",
      "~~~sh fragment",
      "```",
      "~~~",
      "",
      "```js fragment",
      "x();",
      "```",
    );
    expect(blocksOf("docs/tea.md", text)).toEqual([
      {
        page: "docs/tea.md",
        line: 2,
        info: "ts",
        language: "ts",
        kind: "program",
        text: "// tea.ts\n",
        file: "tea.ts",
      },
      {
        page: "docs/tea.md",
        line: 6,
        info: "sh fragment",
        language: "sh",
        kind: "script fragment",
        text: "```\n",
        file: "tea-green-tea.sh",
      },
      {
        page: "docs/tea.md",
        line: 10,
        info: "js fragment",
        language: "js",
        kind: "code fragment",
        text: "x();\n",
        file: "tea-green-tea-2.js",
      },
    ]);
  });

  test.each([
    ["has no info string", page("```", "x", "```"), "docs/tea.md:1: ``` says nothing that is known"],
    [
      "has an unknown one",
      page("a", "```ts frgment", "x", "```"),
      "docs/tea.md:2: ```ts frgment says nothing that is known",
    ],
    [
      "is named like a property of objects",
      page("```constructor", "```"),
      "docs/tea.md:1: ```constructor says nothing",
    ],
    ["is not closed", page("```ts", "x"), "docs/tea.md:1: the block is not closed"],
    ["is made by indentation", page("a", "", "    kubets get pods"), "docs/tea.md:3: a block by indentation"],
  ])("and report an error where it %s", (_, text, message) => {
    expect(() => blocksOf("docs/tea.md", text)).toThrow(message);
  });
});

test.each([
  ["Vitest and node:test", "vitest-and-nodetest"],
  ["A program of this machine in the place of a pod's", "a-program-of-this-machine-in-the-place-of-a-pods"],
  ["Is it `--wait`, or _not_?", "is-it---wait-or-_not_"],
])("the docs tests turn the heading %j into the anchor %s", (heading, anchor) => {
  expect(slugOf(heading)).toBe(anchor);
});

describe("the docs tests check calls of kubets and kubectl in a script", () => {
  test.each([
    "kubets get pods -n shop -o wide   # --nope",
    "A=b kubectl rollout status deployment/web && kubets tree deployment/web",
    'eval "$(kubets envtest)"',
    "kubets cluster run --wait -- helm install web ./web --nope",
    "kubets cluster run -- sh -c 'kubectl apply -f web.yaml && npm test --nope'",
    "npm install -g kubets --nope",
    "kubets explain deployments --example | kubets apply -f -",
    "kubets create deployment web \\\n  --image=nginx",
  ])("and find no fault in: %s", async (line) => {
    expect(await commandFaults(line)).toEqual([]);
  });

  test.each([
    ["kubets gte pods", 'kubets gte pods: unknown command "gte"'],
    ["kubets get pods --nope", "kubets get pods --nope: unknown flag: --nope"],
    ["true && kubectl rollout stats deployment/web", "kubectl rollout stats deployment/web: "],
    ["kubets cluster start one two", "kubets cluster start one two: "],
    ['echo "$(kubets envtest --nope)"', "kubets envtest --nope: unknown flag: --nope"],
    ["kubets cluster run -- kubets get --nope", "kubets get --nope: unknown flag: --nope"],
    ["kubets cluster run -- sh -c 'kubectl apply --nope'", "kubectl apply --nope: unknown flag: --nope"],
    ["kubets get pods # comment\nkubets gte", 'kubets gte: unknown command "gte"'],
  ])("and find a fault in: %s", async (line, fault) => {
    expect(await commandFaults(line)).toEqual([expect.stringContaining(fault)]);
  });
});
