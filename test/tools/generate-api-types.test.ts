import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { apiTypes, committedTypes } from "../../tools/generate-api-types.mjs";

const made = apiTypes() as ReadonlyMap<string, string>;

test("the files of src/api/types equal the output of tools/generate-api-types.mjs for the API facts", () => {
  expect((committedTypes() as readonly string[]).toSorted()).toEqual([...made.keys()].sort());
  const stale = [...made].filter(([file, text]) => readFileSync(file, "utf8") !== text).map(([file]) => file);
  expect(stale, "run: node tools/generate-api-types.mjs").toEqual([]);
});
