import { describe, expect, test } from "vitest";
import { ownersOf, upgradeManager } from "../../../src/machinery/apply/upgrade-managers.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";

const entry = (manager: string, operation: string, fieldsV1: JsonObject, rest: JsonObject = {}): JsonObject => ({
  manager,
  operation,
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...rest,
});

const path = ["f:data", "f:a"];

describe("finding the managers that own a field", () => {
  const entries = [
    entry("applier", "Apply", { "f:data": { "f:a": {} } }),
    entry("updater", "Update", { "f:data": { "f:a": {} } }),
    entry("parent only", "Update", { "f:data": { ".": {} } }),
    entry("child only", "Update", { "f:data": { "f:a": { "f:b": {} } } }),
    entry("both", "Update", { "f:data": { "f:a": { ".": {}, "f:b": {} } } }),
    entry("unreadable", "Update", { "f:data": { "f:a": 3 } }),
  ];

  test.each([
    ["Apply", ["applier"]],
    ["Update", ["updater", "both"]],
  ] as const)("by operation %s", (operation, names) => {
    expect(ownersOf(entries, operation, path).map(({ manager }) => manager)).toEqual(names);
  });
});

// What client-go's csaupgrade says it does: see its package comment and UpgradeManagedFields.
describe("when kubectl changes from client-side to server-side apply, its updater's fields", () => {
  test("become an applier's when there is none", () => {
    const before = [entry("other", "Update", { "f:x": {} }), entry("csa", "Update", { "f:b": {}, "f:a": {} })];
    expect(upgradeManager(before, "csa", "ssa")).toEqual([before[0], entry("ssa", "Apply", { "f:a": {}, "f:b": {} })]);
  });

  test("are merged into those of an existing applier, which keeps its place", () => {
    const before = [
      entry("ssa", "Apply", { "f:a": {} }, { time: "2026-02-02T00:00:00Z" }),
      entry("csa", "Update", { "f:b": { ".": {}, "f:c": {} } }),
    ];
    const united = { "f:a": {}, "f:b": { ".": {}, "f:c": {} } };
    expect(upgradeManager(before, "csa", "ssa")).toEqual([
      entry("ssa", "Apply", united, { time: "2026-02-02T00:00:00Z" }),
    ]);
  });

  test("are dropped when they are of another version", () => {
    const before = [
      entry("ssa", "Apply", { "f:a": {} }),
      entry("csa", "Update", { "f:b": {} }, { apiVersion: "v1beta1" }),
    ];
    expect(upgradeManager(before, "csa", "ssa")).toEqual([entry("ssa", "Apply", { "f:a": {} })]);
  });

  test("stay with the updater of a subresource", () => {
    const before = [entry("csa", "Update", { "f:status": {} }, { subresource: "status" })];
    expect(upgradeManager(before, "csa", "ssa")).toBe(before);
  });

  test("are unchanged when there is no such updater", () => {
    const before = [entry("ssa", "Apply", { "f:a": {} }), entry("other", "Update", { "f:b": {} })];
    expect(upgradeManager(before, "csa", "ssa")).toBe(before);
  });
});
