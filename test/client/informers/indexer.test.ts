import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/client/index.js";
import type { ApiObject } from "../../../src/machinery/meta/object.js";
import { Indexer, Lister, NAMESPACE_INDEX, objectKey, splitObjectKey } from "../../../src/client/informers/index.js";
import { configMap } from "../../helpers/scripted-list-watch.js";

const pod = (name: string, users: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, annotations: { users } },
});
const usersOf = ({ metadata }: KubeObject): string[] => metadata?.annotations?.["users"]?.split(",") ?? [];
const names = (objects: Iterable<ApiObject>) => [...objects].map(({ metadata }) => metadata?.name);

describe("an indexer of an informer's cache", () => {
  test("IDX-1: holds objects by <namespace>/<name>, or by <name> where there is no namespace", () => {
    const indexer = new Indexer();
    const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "a" } };
    indexer.set(configMap("a", "1"));
    indexer.set(node);
    expect([...indexer.keys()]).toEqual(["default/a", "a"]);
    expect(indexer.get("a")).toBe(node);
    indexer.set(configMap("a", "2"));
    expect(indexer.get("default/a")).toEqual(configMap("a", "2"));
    expect(indexer.size).toBe(2);
    indexer.delete("default/a");
    indexer.delete("default/none");
    expect([indexer.has("default/a"), indexer.size]).toEqual([false, 1]);
    indexer.replace([configMap("b", "3"), configMap("c", "4")]);
    expect(names(indexer.values())).toEqual(["b", "c"]);
  });

  test("IDX-1: splits a key into its parts, and throws for an invalid one", () => {
    expect(splitObjectKey(objectKey(configMap("a", "1")))).toEqual({ namespace: "default", name: "a" });
    expect(splitObjectKey("a")).toEqual({ namespace: "", name: "a" });
    expect(() => splitObjectKey("a/b/c")).toThrow('unexpected key format: "a/b/c"');
  });

  test("IDX-2: updates its indices when objects are set, changed, deleted and replaced", () => {
    const indexer = new Indexer<KubeObject>({ byUser: usersOf });
    const held = () =>
      Object.fromEntries(indexer.indexValues("byUser").map((user) => [user, indexer.indexKeys("byUser", user)]));
    indexer.set(pod("one", "ernie,bert"));
    indexer.set(pod("two", "bert"));
    expect(held()).toEqual({ ernie: ["one"], bert: ["one", "two"] });
    indexer.set(pod("one", "oscar,bert"));
    expect(held()).toEqual({ oscar: ["one"], bert: ["two", "one"] });
    indexer.delete("two");
    expect(held()).toEqual({ oscar: ["one"], bert: ["one"] });
    indexer.replace([pod("tre", "elmo")]);
    expect(held()).toEqual({ elmo: ["tre"] });
  });

  test("IDX-2: applies an added index to existing objects; a second one of the same name throws", () => {
    const indexer = new Indexer<KubeObject>();
    indexer.set(pod("one", "ernie"));
    indexer.addIndexers({ byUser: usersOf });
    expect(names(indexer.byIndex("byUser", "ernie"))).toEqual(["one"]);
    expect(() => indexer.addIndexers({ other: usersOf, byUser: usersOf })).toThrow("indexer conflict: byUser");
    expect(() => indexer.byIndex("other", "ernie")).toThrow("Index with name other does not exist");
  });

  test("IDX-3: finds by the index of users the pods one and tre of the user ernie", () => {
    const indexer = new Indexer<KubeObject>({ byUser: usersOf });
    indexer.set(pod("one", "ernie,bert"));
    indexer.set(pod("two", "bert,oscar"));
    indexer.set(pod("tre", "ernie,elmo"));
    expect(names(indexer.byIndex("byUser", "ernie"))).toEqual(["one", "tre"]);
  });

  test("IDX-4: throws for an index that does not exist, and finds no object for an unknown value", () => {
    const indexer = new Indexer<KubeObject>({ byUser: usersOf });
    expect(() => indexer.byIndex("X", "ernie")).toThrow("Index with name X does not exist");
    expect(() => indexer.indexKeys("X", "ernie")).toThrow("Index with name X does not exist");
    expect(indexer.byIndex("byUser", "ernie")).toEqual([]);
  });

  test("IDX-5: has an index by namespace from the start, which listers use", () => {
    const indexer = new Indexer<KubeObject>();
    const other: KubeObject = {
      ...configMap("a", "2"),
      metadata: { name: "a", namespace: "other", labels: { tier: "front" } },
    };
    indexer.set(configMap("a", "1"));
    indexer.set(other);
    expect(NAMESPACE_INDEX).toBe("namespace");
    expect(indexer.byIndex(NAMESPACE_INDEX, "other")).toEqual([other]);
    const lister = new Lister(indexer);
    expect(lister.list()).toHaveLength(2);
    expect(lister.list("tier=front")).toEqual([other]);
    expect(lister.namespace("other").list()).toEqual([other]);
    expect(lister.namespace("default").list("tier=front")).toEqual([]);
    expect(lister.namespace("other").get("a")).toBe(other);
    expect(lister.namespace("none").get("a")).toBeUndefined();
    expect(() => lister.list("tier in front")).toThrow();
  });
});
