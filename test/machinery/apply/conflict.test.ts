import { expect, test } from "vitest";
import { inSlices } from "../../../src/base/async/time-slice.js";
import { conflictsSteps } from "../../../src/machinery/apply/conflict.js";
import type { Manager } from "../../../src/machinery/apply/managed-fields.js";
import { inShortTurns } from "../../helpers/short-turns.js";

const COUNT = 24_000;

test("building the message of very many apply conflicts pauses often, and sorts them by path", async () => {
  const name = (index: number): string => `V${String(index).padStart(5, "0")}`;
  const env = Object.fromEntries(
    Array.from({ length: COUNT }, (_, index) => [`k:{"name":"${name(COUNT - 1 - index)}"}`, { "f:value": {} }]),
  );
  const manager: Manager = {
    name: "other",
    operation: "Apply",
    apiVersion: "v1",
    time: undefined,
    subresource: "",
    fields: { "f:env": env },
  };
  const managers = new Map([["other", manager]]);
  const conflicts = await inShortTurns(() => inSlices(conflictsSteps(new Map([["other", manager.fields]]), managers)));
  const { causes = [] } = conflicts.toStatusError().status.details ?? {};
  expect(causes.map(({ field }) => field)).toEqual(
    Array.from({ length: COUNT }, (_, index) => `.env[name="${name(index)}"].value`),
  );
  expect(causes[0]?.message).toBe('conflict with "other"');
  expect(conflicts.message).toMatch(/^Apply failed with 24000 conflicts: conflicts with "other":\n- \.env/);
});
