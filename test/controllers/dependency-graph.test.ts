import { expect, test } from "vitest";
import { AbsentOwners } from "../../src/controllers/garbage-collector/absent-owners.js";
import { DependencyGraph } from "../../src/controllers/garbage-collector/dependency-graph.js";
import type { GraphNode } from "../../src/controllers/garbage-collector/graph-node.js";

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name, uid: name });
const ownedBy = (...uids: readonly string[]) => ({
  ownerReferences: uids.map((uid) => ({ apiVersion: "v1", kind: "Nobody", name: uid, uid })),
});

test("an owner that nobody has seen is forgotten with the last object that names it", () => {
  const sought = new Set<GraphNode>();
  const graph = new DependencyGraph(
    {
      attemptToDelete: (node) => void sought.add(node),
      attemptToDeleteLater: (node) => void sought.add(node),
      attemptToOrphan: () => {},
      removed: (node) => void sought.delete(node),
      invalidNamespace: () => {},
    },
    new AbsentOwners(),
  );
  const names = () => [...graph.nodes()].map(({ identity }) => identity.name);
  graph.changed(map("a"), ownedBy("one", "two"));
  graph.changed(map("b"), ownedBy("two"));
  expect(names()).toEqual(["a", "one", "two", "b"]);
  graph.changed(map("a"), ownedBy("two"));
  expect(names()).toEqual(["a", "two", "b"]);
  graph.deleted(map("a"), false);
  expect(names()).toEqual(["two", "b"]);
  graph.deleted(map("b"), false);
  expect(names()).toEqual([]);
  expect([...sought]).toEqual([]);
});
