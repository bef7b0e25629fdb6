import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import { declareKinds } from "../../../src/commands/crd/declaration/declare-kinds.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { byName, definitionsOf, normalized } from "../../helpers/declared-definitions.js";

/** A folder with a folder for each project, which holds files of its CustomResourceDefinitions. */
const folder = process.env["KUBETS_PUBLIC_CRDS"];
if (folder === undefined) {
  process.stdout.write("the test of public definitions is skipped: KUBETS_PUBLIC_CRDS names no folder with them\n");
}

const projects =
  folder === undefined ? [] : readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());

function definitionsIn(project: string): readonly KubeObject[] {
  const files = readdirSync(join(folder ?? "", project), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.ya?ml$/.test(file))
    .toSorted()
    .flatMap((file) => loadAll(readFileSync(join(folder ?? "", project, file), "utf8")) as (KubeObject | undefined)[])
    .filter((object): object is KubeObject => object?.kind === "CustomResourceDefinition");
}

describe.skipIf(folder === undefined)("public definitions", () => {
  test.each(projects.map(({ name }) => name))("%s: nothing is lost on the way to a declaration and back", (project) => {
    const crds = definitionsIn(project);
    expect(crds).not.toEqual([]);
    const times = { declare: 0, run: 0 };
    const timed = <T>(name: keyof typeof times, act: () => T): T => {
      const start = performance.now();
      const result = act();
      times[name] += performance.now() - start;
      return result;
    };
    for (const crd of crds) {
      const module = timed("declare", () => declareKinds([crd]));
      const back = timed("run", () => definitionsOf(module));
      expect(back.map(normalized), crd.metadata?.name).toEqual([normalized(crd)]);
    }
    // Two channels of a project may define one kind twice.
    const all = [...new Map(crds.map((crd) => [crd.metadata?.name, crd])).values()];
    const module = timed("declare", () => declareKinds(all));
    expect(definitionsOf(module).map(normalized)).toEqual(all.toSorted(byName).map(normalized));
    const took = Object.entries(times).map(([name, time]) => `${name} ${time.toFixed(0)} ms`);
    process.stdout.write(`${project}: ${crds.length} definitions, ${took.join(", ")}\n`);
  });
});
