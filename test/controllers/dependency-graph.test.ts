import { expect, test } from "vitest";
import { AbsentOwners, DependencyGraph } from "../../src/controllers/garbage-collector/dependency-graph.js";
import { ownerOf } from "../../src/controllers/garbage-collector/object-reference.js";
import type { OwnerReference } from "../../src/machinery/meta/object.js";

/** How often the graph reads a uid of an object's owners, for a label on the object and for the end of each owner. */
function readsOf(count: number): readonly number[] {
  let reads = 0;
  const owners = (): OwnerReference[] =>
    Array.from({ length: count }, (_, index) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: `owner-${index}`,
      get uid() {
        reads += 1;
        return `uid-${index}`;
      },
    }));
  const ignore = (): void => {};
  const graph = new DependencyGraph(
    {
      attemptToDelete: ignore,
      attemptToDeleteLater: ignore,
      attemptToOrphan: ignore,
      removed: ignore,
      invalidNamespace: ignore,
    },
    new AbsentOwners(),
  );
  const owned = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "owned", uid: "owned" };
  const readsIn = (work: () => void): number => {
    reads = 0;
    work();
    return reads;
  };
  graph.changed(owned, { ownerReferences: owners() });
  const label = readsIn(() => graph.changed(owned, { ownerReferences: owners() }));
  const absent = owners().map((owner) => ownerOf(owner, "default"));
  const ends = readsIn(() => absent.forEach((owner) => graph.deleted(owner, true)));
  expect(graph.get("uid-0")).toBeUndefined();
  return [label, ends];
}

test("the garbage collector's work for an object grows only with the number of its owners", () => {
  const [few, many] = [readsOf(500), readsOf(1000)];
  for (const [index, reads] of many.entries()) expect(reads).toBeLessThanOrEqual(2.2 * (few[index] ?? 0));
});
