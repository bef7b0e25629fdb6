import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/machinery/meta/json.js";
import { customColumns } from "../../../src/server/extensions/custom-columns.js";

const NOW = Date.parse("2026-01-02T00:00:00Z");

/** The cell of a column of this type and path over an object with this spec. */
function cell(type: string, jsonPath: string, spec: JsonValue): unknown {
  const columns = customColumns({ additionalPrinterColumns: [{ name: "Shown", type, jsonPath }] });
  return columns.cells({ metadata: { name: "a" }, spec }, NOW)[1];
}

const rows: readonly [title: string, type: string, jsonPath: string, spec: JsonValue, shown: unknown][] = [
  ["text", "string", ".spec.a", { a: "x" }, "x"],
  ["the first of several numbers", "string", ".spec.ports[*].port", { ports: [{ port: 80 }, { port: 443 }] }, "80"],
  ["the first of several texts", "string", ".spec.names[*]", { names: ["x", "y"] }, "x"],
  ["an object, as JSON", "string", ".spec.a", { a: { b: 1 } }, '{"b":1}'],
  ["an explicit null", "string", ".spec.a", { a: null }, "<no value>"],
  ["nothing", "string", ".spec.a", {}, null],
  ["a number that is null", "integer", ".spec.a", { a: null }, null],
  ["a time", "date", ".spec.a", { a: "2026-01-01T23:00:00Z" }, "60m"],
  ["a time of another zone", "date", ".spec.a", { a: "2026-01-02T00:00:00.5+01:00" }, "60m"],
  ["a day without a time", "date", ".spec.a", { a: "2026-01-01" }, "<invalid>"],
  ["a time as browsers write it", "date", ".spec.a", { a: "Thu, 01 Jan 2026 00:00:00 GMT" }, "<invalid>"],
  ["an empty time", "date", ".spec.a", { a: "" }, "<unknown>"],
  ["the time null, as text", "date", ".spec.a", { a: "null" }, "<unknown>"],
  ["Go's zero time", "date", ".spec.a", { a: "0001-01-01T00:00:00Z" }, "<unknown>"],
  ["a time that is a number", "date", ".spec.a", { a: 1 }, null],
];

test.each(rows)("a printer column shows %s", (_, type, jsonPath, spec, shown) => {
  expect(cell(type, jsonPath, spec)).toBe(shown);
});
