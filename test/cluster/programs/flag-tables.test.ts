import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { controllerManagerSections } from "../../../src/cluster/controller-manager/flags.js";
import { WORKERS } from "../../../src/cluster/controller-manager/worker-flags.js";
import { nodeSections } from "../../../src/cluster/node/flags.js";
import { schedulerSections } from "../../../src/cluster/scheduler/flags.js";
import type { FlagSection } from "../../../src/component/component-flag.js";
import { allSections } from "../../../src/component/component.js";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";
import { NEWEST_VERSION } from "../../../src/machinery/served-versions.js";
import { flagsOutOfUse } from "../../helpers/flags-out-of-use.js";

const root = join(import.meta.dirname, "../../..");
const listed = (program: string, version: string): string[] =>
  readFileSync(join(root, `test/testdata/${program}-${version}-flags.txt`), "utf8")
    .trim()
    .split("\n");
const flagsOf = (sections: readonly FlagSection[]) => sections.flatMap(({ flags }) => flags);

describe.each([
  ["kube-controller-manager", "1.36", controllerManagerSections],
  ["kube-controller-manager", "1.37", controllerManagerSections],
  ["kube-scheduler", "1.36", schedulerSections],
  ["kube-scheduler", "1.37", schedulerSections],
])("K37-082: the flags of %s %s", (name, version, sectionsOf) => {
  const declared = flagsOf(allSections({ name, sections: sectionsOf(version) }));

  test("equal those of that Kubernetes version, beside those that it has dropped", () => {
    const former = declared.filter(({ hidden, deprecated }) => hidden === true && deprecated === undefined);
    const names = (flags: readonly { readonly name: string }[]) => flags.map((flag) => flag.name).sort();
    expect(names(declared.filter((flag) => !former.includes(flag)))).toEqual(listed(name, version));
    expect(names(former).filter((flag) => listed(name, version).includes(flag))).toEqual([]);
  });

  test("have defaults that their own parsers and checks accept", () => {
    expect(() => parseFlags(new FlagTable(declared), [])).not.toThrow();
    const wrong = declared.filter((flag) => flag.default !== undefined && flag.check?.(flag.default) !== undefined);
    expect(wrong.map((flag) => flag.name)).toEqual([]);
  });

  test("are either obeyed, without effect, refused or dropped", () => {
    const several = declared.filter(
      ({ withoutEffect, refused, dropped }) => [withoutEffect, refused, dropped].filter(Boolean).length > 1,
    );
    expect(several).toEqual([]);
  });
});

test("the flags of simulated nodes have valid defaults", () => {
  const declared = flagsOf(allSections({ name: "kubets node", sections: nodeSections }));
  expect(() => parseFlags(new FlagTable(declared), [])).not.toThrow();
});

test("each flag for a number of workers has an effect", () => {
  const obeyed = new Set(
    flagsOf(controllerManagerSections(NEWEST_VERSION)).flatMap(({ name, withoutEffect }) =>
      withoutEffect === undefined ? [name] : [],
    ),
  );
  expect(WORKERS.filter(({ flag }) => !obeyed.has(flag))).toEqual([]);
});

test("docs/components.md lists the same flags without effect as the flag tables", () => {
  const page = readFileSync(join(root, "docs/components.md"), "utf8");
  for (const sections of [controllerManagerSections, schedulerSections])
    expect(page).toContain(flagsOutOfUse(sections(NEWEST_VERSION)));
});
