import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverOptionTable } from "../../src/component/apiserver-flags/server-options.js";
import type { ComponentFlag } from "../../src/component/component-flag.js";
import type { OptionGroup } from "../../src/component/option-group.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/servers.md"), "utf8");

const isFlag = (entry: object): entry is ComponentFlag => "name" in entry && typeof entry.name === "string";

/** A row for each option, as it is written in code and as a flag. */
const rowsOf = (group: OptionGroup, path = ""): readonly string[] =>
  Object.entries(group).flatMap(([field, entry]) =>
    isFlag(entry)
      ? [`| \`${path}${field}\` | \`--${entry.name}\` | ${entry.usage} |`]
      : rowsOf(entry, `${path}${field}.`),
  );

test("START-8: the table of options in docs/servers.md equals the options in the code", () => {
  const table = ["| in code | flag | what it says |", "|---|---|---|", ...rowsOf(serverOptionTable)].join("\n");
  expect(page).toContain(`\n${table}\n`);
});
