import { beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/client/index.js";
import { Indexer } from "../../../src/client/informers/index.js";
import { type Delta, DeltaQueue, Tombstone } from "../../../src/client/informers/delta-queue.js";
import { configMap } from "../../helpers/scripted-list-watch.js";

let known: Indexer<KubeObject>;
let queue: DeltaQueue<KubeObject>;

beforeEach(() => {
  known = new Indexer();
  queue = new DeltaQueue({ known });
});

/** "Added a@1", "Deleted tombstone of a@1". */
function text({ type, object }: Delta<KubeObject>): string {
  const named = ({ metadata }: KubeObject): string => `${metadata?.name}@${metadata?.resourceVersion}`;
  return `${type} ${object instanceof Tombstone ? `tombstone of ${named(object.object)}` : named(object)}`;
}

const pop = (): readonly string[] | undefined => queue.pop()?.map(text);

describe("a delta queue", () => {
  test("DFF-1, DFF-2: keeps all that happened to an object, and gives objects in the order they first changed", () => {
    queue.add(configMap("a", "1"));
    queue.add(configMap("b", "2"));
    queue.update(configMap("a", "3"));
    queue.delete(configMap("a", "4"));
    expect(queue.length).toBe(2);
    expect(pop()).toEqual(["Added a@1", "Updated a@3", "Deleted a@4"]);
    expect(pop()).toEqual(["Added b@2"]);
  });

  test("DFF-3: an object that changes after it was taken waits at the end again", () => {
    queue.add(configMap("a", "1"));
    queue.add(configMap("b", "2"));
    expect(pop()).toEqual(["Added a@1"]);
    queue.update(configMap("a", "3"));
    expect(pop()).toEqual(["Added b@2"]);
    expect(pop()).toEqual(["Updated a@3"]);
  });

  test("DFF-3: a resync of an object that is about to be deleted is left out", () => {
    known.set(configMap("a", "1"));
    queue.delete(configMap("a", "2"));
    queue.resync();
    expect(pop()).toEqual(["Deleted a@2"]);
  });

  test("DFF-3: the deletion of an object that is neither known nor queued is left out", () => {
    queue.delete(configMap("a", "1"));
    expect(queue.length).toBe(0);
  });

  test("DFF-4: merges two deletions in a row into one, with the object's final state where one of them has it", () => {
    known.set(configMap("a", "1"));
    queue.replace([]);
    queue.delete(configMap("a", "2"));
    expect(pop()).toEqual(["Deleted a@2"]);
    known.set(configMap("b", "1"));
    queue.delete(configMap("b", "3"));
    queue.replace([]);
    expect(pop()).toEqual(["Deleted b@3"]);
  });

  test("DFF-4: never merges other changes", () => {
    queue.add(configMap("a", "1"));
    queue.update(configMap("a", "1"));
    queue.update(configMap("a", "1"));
    queue.delete(configMap("a", "2"));
    queue.add(configMap("a", "3"));
    expect(pop()).toEqual(["Added a@1", "Updated a@1", "Updated a@1", "Deleted a@2", "Added a@3"]);
  });

  test("DFF-5: returns nothing while it is empty (where client-go's Pop blocks, the informer consumes on each change)", () => {
    expect(pop()).toBeUndefined();
    queue.add(configMap("a", "1"));
    expect(pop()).toEqual(["Added a@1"]);
    expect(pop()).toBeUndefined();
  });

  // DFF-6, what is done with deltas, is the informer's: shared-informer.test.ts.

  test("DFF-7: a resync queues every known object that has nothing queued", () => {
    known.set(configMap("a", "1"));
    known.set(configMap("b", "2"));
    queue.update(configMap("b", "3"));
    queue.resync();
    expect(pop()).toEqual(["Updated b@3"]);
    expect(pop()).toEqual(["Sync a@1"]);
    expect(pop()).toBeUndefined();
  });

  test('DFF-8: queues the items of a list as "Replaced" (client-go 1.36; Sync in 1.14), and a tombstone for each known object that the list lacks', () => {
    known.set(configMap("a", "1"));
    known.set(configMap("gone", "2"));
    queue.add(configMap("queued", "3"));
    queue.replace([configMap("a", "4"), configMap("b", "5")]);
    expect(pop()).toEqual(["Added queued@3", "Deleted tombstone of queued@3"]);
    expect(pop()).toEqual(["Replaced a@4"]);
    expect(pop()).toEqual(["Replaced b@5"]);
    expect(pop()).toEqual(["Deleted tombstone of gone@2"]);
  });

  test("DFF-8: puts the newest state into the tombstone of an object that was deleted and queued again", () => {
    known.set(configMap("a", "1"));
    queue.update(configMap("a", "2"));
    queue.replace([]);
    expect(pop()).toEqual(["Updated a@2", "Deleted tombstone of a@2"]);
  });

  test("DFF-8: reports that it has synced when the whole first list was taken, also when the list was empty", () => {
    expect(queue.hasSynced).toBe(false);
    queue.replace([configMap("a", "1"), configMap("b", "2")]);
    queue.add(configMap("c", "3"));
    queue.pop();
    expect(queue.hasSynced).toBe(false);
    queue.pop();
    expect(queue.hasSynced).toBe(true);
    const empty = new DeltaQueue({ known });
    empty.replace([]);
    expect(empty.hasSynced).toBe(true);
  });

  test("transforms what it queues, but not resynced objects and tombstones, which it has transformed before", () => {
    const seen: string[] = [];
    const bare = new DeltaQueue<KubeObject>({
      known,
      transform: (object) => {
        seen.push(text({ type: "Added", object }));
        return { ...object, data: {} };
      },
    });
    known.set(configMap("a", "1", { kept: "yes" }));
    bare.resync();
    bare.replace([configMap("b", "2", { dropped: "yes" })]);
    const deltas = [bare.pop(), bare.pop()].map((all) => all?.map(text));
    expect(deltas).toEqual([["Sync a@1", "Deleted tombstone of a@1"], ["Replaced b@2"]]);
    expect(seen).toEqual(["Added b@2"]);
  });
});
