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

test("the tree prints the owned objects of each level by name, and no others", () => {
  expect(
    tree("web", { web: [], b: ["web"], a: ["web"], a1: ["a"], a2: ["a"], b1: ["b"], other: [], o1: ["other"] }),
  ).toBe(`web
├─ a
│  ├─ a1
│  └─ a2
└─ b
   └─ b1`);
});

test("the tree prints the owners above the object, without their other objects", () => {
  expect(tree("pod", { web: [], rs: ["web"], old: ["web"], pod: ["rs"], other: ["rs"] })).toBe(`web
└─ rs
   └─ pod`);
});

test("the tree prints an object below each of its owners, but its own objects only once", () => {
  expect(tree("shared", { a: [], b: [], shared: ["a", "b"], leaf: ["shared"] })).toBe(`a
└─ shared
   └─ leaf
b
└─ shared (above)`);
});

test("the tree leaves out an owner that was not read", () => {
  expect(tree("pod", { pod: ["gone"] })).toBe("pod");
});

test("the tree prints objects that own each other once, and marks the repeated one", () => {
  expect(tree("a", { a: ["c"], b: ["a"], c: ["b"] })).toBe(`a
└─ b
   └─ c
      └─ a (above)`);
  expect(tree("self", { self: ["self"] })).toBe(`self
└─ self (above)`);
});

test("the tree ends when the owners of the object own each other", () => {
  expect(tree("leaf", { a: ["b"], b: ["a"], leaf: ["a"] })).toContain("leaf");
});
