import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addFinalizer,
  controllerReference,
  isConflict,
  isNotFound,
  kubernetesClient,
  type KubernetesClient,
  removeFinalizer,
  setCondition,
} from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";

const NOON = Date.parse("2026-12-01T12:00:00Z");
const decided = { type: "Ready", status: "True", reason: "AllThere", message: "3 of 3" } as const;

describe("setCondition", () => {
  const [first = expect.fail()] = setCondition(undefined, decided, NOON);

  test("CR-2: adds a condition of a new type with the time of now, in seconds", () => {
    expect(first).toEqual({ ...decided, lastTransitionTime: "2026-12-01T12:00:00Z" });
    const other = { ...decided, type: "Degraded" };
    expect(setCondition([first], other, NOON).map(({ type }) => type)).toEqual(["Ready", "Degraded"]);
  });

  test("keeps the time where the status stays, and takes the new reason and message", () => {
    const changed = setCondition([first], { ...decided, message: "4 of 4" }, NOON + 60_000);
    expect(changed).toEqual([{ ...first, message: "4 of 4" }]);
  });

  test("has the time of now where the status changes", () => {
    const [changed] = setCondition([first], { ...decided, status: "False" }, NOON + 60_000);
    expect(changed?.lastTransitionTime).toBe("2026-12-01T12:01:00Z");
  });

  test("answers the given list itself where nothing differs", () => {
    const conditions = [first];
    expect(setCondition(conditions, decided, NOON + 60_000)).toBe(conditions);
  });
});

describe("what ties an object to others", () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await startCluster({ port: false });
    client = kubernetesClient(cluster);
  });
  afterAll(async () => {
    await client.close();
    await cluster.close();
  });

  test("an object with a finalizer stays when it is deleted, and goes when the finalizer is removed", async () => {
    const configMaps = client.of("v1", "ConfigMap").namespace("default");
    const made = await configMaps.create({ metadata: { name: "kept" } });
    const held = await addFinalizer(configMaps, made, "example.com/files");
    expect(held.metadata.finalizers).toEqual(["example.com/files"]);
    expect(await addFinalizer(configMaps, held, "example.com/files")).toBe(held);
    await configMaps.delete("kept");
    const deleted = await configMaps.get("kept");
    expect(deleted.metadata.deletionTimestamp).toBeDefined();
    await removeFinalizer(configMaps, deleted, "example.com/files");
    await expect(configMaps.get("kept")).rejects.toSatisfy(isNotFound);
    await removeFinalizer(configMaps, deleted, "example.com/files");
  });

  test("a finalizer is not added to an object that somebody changed since it was read", async () => {
    const configMaps = client.of("v1", "ConfigMap").namespace("default");
    const made = await configMaps.create({ metadata: { name: "changed" } });
    await configMaps.patch("changed", { data: { a: "b" } }, { type: "merge" });
    await expect(addFinalizer(configMaps, made, "example.com/files")).rejects.toSatisfy(isConflict);
  });

  test("a controller reference is made of an object that was read, and of no other", async () => {
    const owner = await client
      .of("v1", "ConfigMap")
      .namespace("default")
      .create({ metadata: { name: "owner" } });
    expect(controllerReference(owner)).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "owner",
      uid: owner.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(() => controllerReference({ metadata: { name: "owner" } })).toThrow("read it from the server first");
  });
});
