import { describe, expect, test } from "vitest";
import type { CustomResourceDefinition } from "../../../src/api/types/apiextensions/v1.js";
import type { StorageVersion } from "../../../src/api/types/apiserverinternal/v1alpha1.js";
import type { StorageVersionMigration } from "../../../src/api/types/storagemigration/v1.js";
import { withServers } from "../../../src/controllers/storage-version-garbage-collector/storage-version-garbage-collector.js";
import {
  migratedStatus,
  migratingStatus,
  has,
  isOlder,
  isOver,
  isSameResource,
  nextOf,
  withCondition,
  withoutRunning,
} from "../../../src/controllers/storage-version-migrator/migration-status.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const TIME = "2026-01-01T00:00:00Z";

function migration(
  name: string,
  conditions: Record<string, "True" | "False"> = {},
  second = 0,
): StorageVersionMigration {
  const list = Object.entries(conditions).map(([type, status]) => ({
    type,
    status,
    reason: "R",
    message: "",
    lastTransitionTime: TIME,
  }));
  return {
    metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: { resource: { group: "apps", resource: "deployments" } },
    status: { conditions: list },
  };
}

describe("of several storage migrations of one resource", () => {
  test.each<[string, StorageVersionMigration[], string | undefined]>([
    ["the only one begins", [migration("a")], "a"],
    ["the oldest begins", [migration("a", {}, 5), migration("b", {}, 2)], "b"],
    ["the first by name begins, of those of one time", [migration("b"), migration("a")], "a"],
    ["none begins while one runs", [migration("a"), migration("b", { Running: "True" }, 3)], undefined],
    [
      "the next begins after one that has succeeded",
      [migration("a", { Succeeded: "True" }), migration("b", {}, 3)],
      "b",
    ],
    [
      "the next begins after one that has failed",
      [migration("a", { Running: "True", Failed: "True" }), migration("b", {}, 3)],
      "b",
    ],
    ["one begins again that does not run any more", [migration("a", { Running: "False" })], "a"],
    ["none begins when all are over", [migration("a", { Failed: "True" })], undefined],
    ["none begins where there is none", [], undefined],
  ])("%s", (_, all, next) => {
    expect(nextOf(all)?.metadata?.name).toBe(next);
  });
});

test.each([
  [{ Succeeded: "True" }, true],
  [{ Failed: "True" }, true],
  [{ Failed: "False" }, false],
  [{ Running: "True" }, false],
  [{}, false],
] as [Record<string, "True" | "False">, boolean][])(
  "a storage migration with the conditions %j is over: %s",
  (conditions, over) => {
    expect(isOver(migration("a", conditions))).toBe(over);
  },
);

test("a storage migration gets the condition Running, and loses it when it succeeds", () => {
  const running = withCondition(migration("a"), "Running", { reason: "R", message: "m", now: NOW });
  expect(running.status?.conditions).toEqual([
    { type: "Running", status: "True", lastTransitionTime: TIME, reason: "R", message: "m" },
  ]);
  expect(withCondition(running, "Running", { reason: "again", message: "", now: NOW })).toBe(running);
  const done = withCondition(running, "Succeeded", { reason: "S", message: "", now: NOW });
  expect([has(done, "Running"), has(done, "Succeeded")]).toEqual([false, true]);
  expect(withoutRunning(done)?.status?.conditions?.map(({ type }) => type)).toEqual(["Succeeded"]);
  expect(withoutRunning(withoutRunning(done) ?? done)).toBeUndefined();
});

test.each([
  ["another group", { group: "extensions", resource: "deployments" }, false],
  ["another resource", { group: "apps", resource: "daemonsets" }, false],
  ["the same", { group: "apps", resource: "deployments" }, true],
])("a storage migration of %s is of the same resource or not", (_, resource, same) => {
  expect(isSameResource(migration("a"), { ...migration("b"), spec: { resource } })).toBe(same);
});

test.each([
  ["9", "10", true],
  ["10", "10", true],
  ["11", "10", false],
  ["9007199254740993", "9007199254740992", false],
  ["", "10", true],
])("an object of resourceVersion %j needs a migration that started at %s: %s", (version, start, older) => {
  expect(isOlder(version, start)).toBe(older);
});

describe("the status of a CustomResourceDefinition", () => {
  const definition = (observedGeneration?: number): CustomResourceDefinition =>
    ({
      metadata: { name: "boxes.example.com", generation: 3 },
      spec: {
        versions: [
          { name: "v1", storage: false },
          { name: "v2", storage: true },
        ],
      },
      status: {
        conditions: [{ type: "StorageMigrating", status: "True", ...(observedGeneration && { observedGeneration }) }],
      },
    }) as unknown as CustomResourceDefinition;
  const condition = (status: string, reason: string, message: string) => ({
    type: "StorageMigrating",
    status,
    lastTransitionTime: TIME,
    reason,
    message,
    observedGeneration: 3,
  });

  test("names the storage migration that runs", () => {
    expect(migratingStatus(definition(), "m", NOW)).toEqual({
      conditions: [condition("True", "MigrationRunning", "Migration m is running")],
    });
  });

  test.each([
    [
      "has one stored version after a migration",
      3,
      true,
      "MigrationSucceeded",
      "The migration has succeeded and the stored versions have been updated",
      ["v2"],
    ],
    [
      "keeps its stored versions when it changed meanwhile",
      2,
      true,
      "MigrationSucceeded",
      "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
      undefined,
    ],
    [
      "keeps them when it does not say which generation is migrated",
      undefined,
      true,
      "MigrationSucceeded",
      "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
      undefined,
    ],
    ["keeps them after a failure", 3, false, "MigrationFailed", "The migration has failed", undefined],
  ])("%s", (_, generation, succeeded, reason, message, storedVersions) => {
    expect(migratedStatus(definition(generation), succeeded, NOW)).toEqual({
      conditions: [condition("False", reason, message)],
      ...(storedVersions && { storedVersions }),
    });
  });
});

describe("the status of a StorageVersion", () => {
  const server = (apiServerID: string, encodingVersion = "v1") => ({
    apiServerID,
    encodingVersion,
    decodableVersions: ["v1"],
  });
  const equal = (status: "True" | "False", lastTransitionTime: string) => ({
    type: "AllEncodingVersionsEqual",
    status,
    lastTransitionTime,
    reason: status === "True" ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: status === "True" ? "Common encoding version set" : "Common encoding version unset",
  });
  const LONG_AGO = "2025-01-01T00:00:00Z";
  test.each([
    ["of servers that agree", {}, [server("a"), server("b")], "v1", equal("True", TIME)],
    ["of one server", {}, [server("a", "v2")], "v2", equal("True", TIME)],
    [
      "of servers that differ",
      { commonEncodingVersion: "v1" },
      [server("a"), server("b", "v2")],
      undefined,
      equal("False", TIME),
    ],
    [
      "that still agree",
      { commonEncodingVersion: "v1", conditions: [equal("True", LONG_AGO)] },
      [server("a")],
      "v1",
      equal("True", LONG_AGO),
    ],
    [
      "that agree on another version",
      { commonEncodingVersion: "v2", conditions: [equal("True", LONG_AGO)] },
      [server("a")],
      "v1",
      equal("True", TIME),
    ],
    ["that agree at last", { conditions: [equal("False", LONG_AGO)] }, [server("a")], "v1", equal("True", TIME)],
  ])("%s", (_, status, servers, common, condition) => {
    const version = { metadata: { name: "apps.deployments" }, status } as StorageVersion;
    expect(withServers(version, servers, NOW).status).toEqual({
      storageVersions: servers,
      ...(common && { commonEncodingVersion: common }),
      conditions: [condition],
    });
  });
});
