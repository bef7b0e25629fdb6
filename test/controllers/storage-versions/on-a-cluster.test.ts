import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { objects } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const MIGRATIONS = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
const VERSIONS = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

let cluster: Cluster;
const problems: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({
    port: false,
    kubernetesVersion: "1.36",
    ...quietCluster,
    controllers: [...(quietCluster.controllers || []), "svm", "storage-version-gc"],
    runtimeConfig: { "storagemigration.k8s.io/v1beta1": true, "internal.apiserver.k8s.io/v1alpha1": true },
    onError: (error) => problems.push(error),
  });
});

afterAll(() => cluster.close());

const ask = (method: string, path: string, body?: JsonObject) => call(cluster.transport(), method, path, body);
const patch = (path: string, body: JsonObject) =>
  call(cluster.transport(), "PATCH", path, body, { type: "application/merge-patch+json" });

/** Waits until a migration is over; its conditions by type. */
async function conditionsOf(name: string): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const conditions = objects((await ask("GET", `${MIGRATIONS}/${name}`)).at("status.conditions"));
    expect(conditions.map(({ type }) => type)).toEqual([expect.stringMatching(/^(Succeeded|Failed)$/)]);
    return Object.fromEntries(conditions.map(({ type, reason, message }) => [type as string, [reason, message]]));
  });
}

const migrate = (name: string, group: string, resource: string) =>
  ask("POST", MIGRATIONS, { metadata: { name }, spec: { resource: { group, resource } } });

test("after a storage migration a definition has one stored version, and its objects are stored in it", async () => {
  const versions = (storage: string) =>
    ["v1", "v2"].map((name) => versionOf(name, {}, { storage: name === storage, served: true }));
  await install(cluster.transport(), boxDefinition("move.example.com", versions("v1")));
  for (const name of ["one", "two"]) {
    await ask("POST", boxesOf("move.example.com"), {
      apiVersion: "move.example.com/v1",
      kind: "Box",
      metadata: { name },
    });
  }
  const definition = `${DEFINITIONS}/boxes.move.example.com`;
  await patch(definition, { spec: { versions: versions("v2") } });
  await eventually(async () =>
    expect((await ask("GET", definition)).at("status.storedVersions")).toEqual(["v1", "v2"]),
  );
  const before = (await ask("GET", `${boxesOf("move.example.com")}/one`)).at("metadata.resourceVersion");
  await migrate("boxes", "move.example.com", "boxes");
  expect(await conditionsOf("boxes")).toEqual({ Succeeded: ["StorageVersionMigrationSucceeded", ""] });
  const status = (await ask("GET", definition)).at("status");
  expect(status).toMatchObject({
    storedVersions: ["v2"],
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: "StorageMigrating",
        status: "False",
        reason: "MigrationSucceeded",
        message: "The migration has succeeded and the stored versions have been updated",
      }),
    ]) as unknown,
  });
  const after = await ask("GET", `${boxesOf("move.example.com")}/one`);
  expect(after.at("metadata.resourceVersion")).not.toBe(before);
  expect(after.at("metadata.managedFields.1")).toBeUndefined();
});

test("a storage migration of built-in objects succeeds, one of an unknown resource fails, and two of one resource run in turn", async () => {
  await ask("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
  for (const name of ["secrets", "secrets-again"]) await migrate(name, "", "secrets");
  await migrate("nothing", "example.com", "nothings");
  expect(await conditionsOf("secrets")).toEqual({ Succeeded: ["StorageVersionMigrationSucceeded", ""] });
  expect(await conditionsOf("secrets-again")).toEqual({ Succeeded: ["StorageVersionMigrationSucceeded", ""] });
  expect(await conditionsOf("nothing")).toEqual({
    Failed: ["StorageVersionMigrationFailed", "resource does not exist in discovery"],
  });
});

test("a StorageVersion loses servers whose Leases have expired, and is deleted with the last", async () => {
  const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" };
  for (const name of ["server-a", "server-b"]) await ask("POST", LEASES, { metadata: { name, labels } });
  await ask("POST", VERSIONS, { metadata: { name: "apps.deployments" }, spec: {} });
  const storageVersions = ["server-a", "server-b", "server-c"].map((apiServerID) => ({
    apiServerID,
    encodingVersion: "apps/v1",
    decodableVersions: ["apps/v1"],
  }));
  await patch(`${VERSIONS}/apps.deployments/status`, { status: { storageVersions } });
  const servers = async () =>
    objects((await ask("GET", `${VERSIONS}/apps.deployments`)).at("status.storageVersions")).map(
      ({ apiServerID }) => apiServerID,
    );
  await eventually(async () => expect(await servers()).toEqual(["server-a", "server-b"]));
  expect((await ask("GET", `${VERSIONS}/apps.deployments`)).at("status.commonEncodingVersion")).toBe("apps/v1");
  await ask("DELETE", `${LEASES}/server-a`);
  await eventually(async () => expect(await servers()).toEqual(["server-b"]));
  await ask("DELETE", `${LEASES}/server-b`);
  await eventually(async () => expect((await ask("GET", `${VERSIONS}/apps.deployments`)).status).toBe(404));
  expect(problems).toEqual([]);
});

test("K37-143: in 1.37 a StorageVersionMigration of version v1 shows how many objects it has migrated", async () => {
  const newer = await startCluster({
    port: false,
    ...quietCluster,
    kubernetesVersion: "1.37",
    controllers: [...(quietCluster.controllers || []), "svm"],
  });
  onTestFinished(() => newer.close());
  const send = (method: string, path: string, body?: JsonObject, type = "application/json") =>
    call(newer.transport(), method, path, body, { type });
  const path = "/apis/storagemigration.k8s.io/v1/storageversionmigrations";
  const versions = (storage: string) =>
    ["v1", "v2"].map((name) => versionOf(name, {}, { storage: name === storage, served: true }));
  await install(newer.transport(), boxDefinition("move.example.com", versions("v1")));
  for (const name of ["one", "two"]) {
    const box = { apiVersion: "move.example.com/v1", kind: "Box", metadata: { name } };
    await send("POST", boxesOf("move.example.com"), box);
  }
  const definition = `${DEFINITIONS}/boxes.move.example.com`;
  await send("PATCH", definition, { spec: { versions: versions("v2") } }, "application/merge-patch+json");
  const before = (await send("GET", `${boxesOf("move.example.com")}/one`)).at("metadata.resourceVersion");
  await send("POST", path, {
    metadata: { name: "boxes" },
    spec: { resource: { group: "move.example.com", resource: "boxes" } },
  });
  await eventually(async () => {
    const conditions = objects((await send("GET", `${path}/boxes`)).at("status.conditions"));
    expect(conditions.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      ["Running", "False", "MigrationCompleted", "The migration is running: 2 of 2 objects have been migrated"],
      ["Succeeded", "True", "StorageVersionMigrationSucceeded", ""],
    ]);
  });
  const status = (await send("GET", definition)).at("status");
  expect(status).toMatchObject({ storedVersions: ["v2"] });
  expect(objects((status as JsonObject)["conditions"]).map(({ type }) => type)).toContain("Established");
  const after = await send("GET", `${boxesOf("move.example.com")}/one`);
  expect(after.at("metadata.resourceVersion")).not.toBe(before);
});
