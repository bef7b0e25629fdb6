import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiserverSections } from "../../src/component/apiserver-flags/sections.js";
import { flagFates } from "./flag-fates.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/apiserver.md"), "utf8");

test.each(Object.entries(flagFates(apiserverSections)))(
  "docs/apiserver.md lists the flags that are %s as the code does",
  (_, table) => {
    expect(page).toContain(`\n${table}\n`);
  },
);
