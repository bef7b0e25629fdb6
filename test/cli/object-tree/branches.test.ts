import { expect, test } from "vitest";
import { branchesOf } from "../../../src/cli/object-tree/branches.js";
import type { Summary } from "../../../src/cli/object-tree/summary.js";

/** Objects by name, each with the names of its owners. */
function tree(start: string, owners: Readonly<Record<string, readonly string[]>>): string {
  const objects = new Map(
    Object.entries(owners).map(([name, names]): [string, Summary] => {
      const ownerReferences = names.map((owner) => ({ apiVersion: "v1", kind: "Kind", name: owner, uid: owner }));
      return [name, { title: name, metadata: { name, uid: name, ownerReferences }, ready: "", status: "", age: "" }];
    }),
  );
  const found = objects.get(start);
  if (found === undefined) throw new Error(`no ${start}`);
  return branchesOf(found, objects)
    .map(({ lead, object, again }) => `${lead}${object.title}${again ? " (above)" : ""}`)
    .join("\n");
}

test("what it owns, by name, level below level; nothing else", () => {
  expect(
    tree("web", { web: [], b: ["web"], a: ["web"], a1: ["a"], a2: ["a"], b1: ["b"], other: [], o1: ["other"] }),
  ).toBe(`web
├─ a
│  ├─ a1
│  └─ a2
└─ b
   └─ b1`);
});

test("its owners stand above it, without what else they own", () => {
  expect(tree("pod", { web: [], rs: ["web"], old: ["web"], pod: ["rs"], other: ["rs"] })).toBe(`web
└─ rs
   └─ pod`);
});

test("below each of its owners it stands once, and once with what it owns", () => {
  expect(tree("shared", { a: [], b: [], shared: ["a", "b"], leaf: ["shared"] })).toBe(`a
└─ shared
   └─ leaf
b
└─ shared (above)`);
});

test("an owner that was not read is not there", () => {
  expect(tree("pod", { pod: ["gone"] })).toBe("pod");
});

test("objects that own each other end", () => {
  expect(tree("a", { a: ["c"], b: ["a"], c: ["b"] })).toBe(`a
└─ b
   └─ c
      └─ a (above)`);
  expect(tree("self", { self: ["self"] })).toBe(`self
└─ self (above)`);
});

test("a cycle above what is asked for", () => {
  expect(tree("leaf", { a: ["b"], b: ["a"], leaf: ["a"] })).toContain("leaf");
});
