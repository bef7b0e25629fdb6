import { expect } from "vitest";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../../src/server/builtin/index.js";

const NOW = Date.parse("2026-01-02T00:00:00Z");

/** The metadata of an object "x" that is a day old. */
export const metadata = { name: "x", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" };

/** The cells of an object at the start of 2026-01-02: one for each column, or more. */
export function row(group: string, resource: string, object: KubeObject): readonly unknown[] {
  const table = builtinRecord(group, resource)?.strategy?.columns;
  if (table === undefined) throw new Error(`no table for ${resource}`);
  const cells = table.cells(object, NOW);
  expect(cells.length).toBeGreaterThanOrEqual(table.definitions.length);
  return cells;
}
