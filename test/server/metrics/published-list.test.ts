import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FamilyDefinition } from "../../../src/machinery/metrics/family.js";
import { WORK_METRICS } from "../../../src/controllers/work-counts.js";
import { SCHEDULER_METRICS } from "../../../src/scheduler/scheduler-metrics.js";
import { ACCESS } from "../../../src/server/metrics/access-definitions.js";
import { HEALTH, REQUESTS } from "../../../src/server/metrics/request-definitions.js";
import { STORAGE } from "../../../src/server/metrics/storage-definitions.js";

const root = join(import.meta.dirname, "../../..");

/** The metrics of stability STABLE of Kubernetes 1.36: name, type, labels, buckets. */
const PUBLISHED = readFileSync(join(root, "test/testdata/stable-metrics-1.36.txt"), "utf8").trim().split("\n");

const definitions: ReadonlyMap<string, FamilyDefinition> = new Map(
  [REQUESTS, HEALTH, ACCESS, STORAGE, SCHEDULER_METRICS, WORK_METRICS]
    .flatMap((group): readonly FamilyDefinition[] => Object.values(group))
    .map((definition) => [definition.name, definition]),
);

/** The names of the table in docs/metrics.md of what is not there; "*" stands for any rest. */
const absent = [
  ...(
    /## Stable metrics[^]*?(?=\n## |$)/.exec(readFileSync(join(root, "docs/metrics.md"), "utf8"))?.[0] ?? ""
  ).matchAll(/`([a-z_*]+)`(?=[^|\n]*\|)/g),
].map(([, name = ""]) => name);

const isAbsent = (name: string): boolean =>
  absent.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));

describe("the stable metrics of Kubernetes 1.36", () => {
  test.each(PUBLISHED)("include %s", (line) => {
    const [name = "", type = "", labels = "", buckets] = line.split(" ");
    const definition = definitions.get(name);
    if (definition === undefined) {
      expect(isAbsent(name), `${name} is neither there nor in docs/metrics.md`).toBe(true);
      return;
    }
    const own = (definition.labels ?? []).toSorted((one, other) => (one < other ? -1 : 1));
    expect([definition.type, own.join(",") || "-", definition.buckets?.join(",")]).toEqual([type, labels, buckets]);
    expect(definition.stability).toBe("STABLE");
  });

  test("are the only ones that are marked as stable", () => {
    const published = new Set(PUBLISHED.map((line) => line.split(" ")[0]));
    const stable = [...definitions.values()].filter(({ stability }) => stability === "STABLE");
    expect(stable.map(({ name }) => name).filter((name) => !published.has(name))).toEqual([]);
  });
});
