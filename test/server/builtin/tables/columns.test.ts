import { describe, expect, it } from "vitest";
import { v37 } from "../../../helpers/server-traits.js";
import { builtinRecord, builtinRecords } from "../../../../src/server/builtin/index.js";
import { resolveStrategy } from "../../../../src/server/registry/default-strategy.js";

describe("the tables of built-in kinds", () => {
  const tables = builtinRecords.map(({ group, resource, strategy }) => {
    const name = group === "" ? resource : `${resource}.${group}`;
    return [name, resolveStrategy(strategy, v37.gates).columns.definitions] as const;
  });

  it.each(tables)("of %s describe each column, no two alike", (_, definitions) => {
    const descriptions = definitions.map(({ description }) => description);
    expect(descriptions.filter((text) => !/^\S+ .*\.$/.test(text))).toEqual([]);
    expect(new Set(descriptions).size).toBe(descriptions.length);
  });

  it("have column formats only where kube-apiserver has them", () => {
    const odd = tables.flatMap(([resource, definitions]) =>
      definitions.flatMap(({ name, format }) =>
        (name === "Name") === (format === "name") ? [] : [`${resource} ${name}`],
      ),
    );
    expect(odd).toEqual([
      "volumeattachments.storage.k8s.io Attacher",
      "storageversionmigrations.storagemigration.k8s.io Name",
    ]);
  });
});

it("the table of flow schemas is in the order in which requests are matched", () => {
  const order = builtinRecord("flowcontrol.apiserver.k8s.io", "flowschemas")?.strategy?.columns?.order;
  const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } });
  const schemas = [schema("c", 500), schema("b", 9000), schema("a", 9000), schema("d", 1)];
  expect(schemas.sort(order).map(({ metadata }) => metadata.name)).toEqual(["d", "c", "a", "b"]);
});
