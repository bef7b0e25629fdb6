import { describe, expect, test } from "vitest";
import { parseSortKeys, SortKeyError, sortObjects } from "../../src/printers/sort.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";

describe("the keys of --sort-by that kubets adds to kubectl's", () => {
  test.each([
    { text: ".a,.b", keys: ["{.a}", "{.b}"] },
    { text: "a,-b", keys: ["{.a}", "-{.b}"] },
    { text: "-.metadata.name", keys: ["-{.metadata.name}"] },
    { text: " .a , -.b", keys: ["{.a}", "-{.b}"] },
    { text: '.items[?(@.x=="a,b")].y,.c', keys: ['{.items[?(@.x=="a,b")].y}', "{.c}"] },
    { text: ".spec.containers[0,1].name,.c", keys: ["{.spec.containers[0,1].name}", "{.c}"] },
  ])("are parsed: $text", ({ text, keys }) => {
    expect(parseSortKeys(text)?.map(({ path, descending }) => (descending ? `-${path}` : path))).toEqual(keys);
  });

  test.each(["", ".a", "a-b", "{.a}", "{.a},{.b}", "-{.a}", ".labels['a,b']", ".items[0,1]", ".labels['a,b"])(
    "do not change what %s means in kubectl",
    (text) => expect(parseSortKeys(text)).toBeUndefined(),
  );

  test.each([".a,", ",.a", "-", ".a,-", ".a,,.b", ".a[,.b],.c"])("refuse %s", (text) => {
    expect(() => parseSortKeys(text)).toThrow(SortKeyError);
  });
});

describe("the order of objects that --sort-by gives", () => {
  const rows: readonly KubeObject[] = [
    { metadata: { name: "d" }, group: "x", size: "2Gi" },
    { metadata: { name: "c" }, group: "y", size: "500Mi" },
    { metadata: { name: "b" }, group: "x", size: "500Mi" },
    { metadata: { name: "a" }, group: "x" },
  ];
  const sorted = (keys: string): string =>
    sortObjects(rows, keys, (row) => row)
      .map(nameOf)
      .join("");

  test.each([
    { keys: ".group,.metadata.name", order: "abdc" },
    { keys: "-.group,.metadata.name", order: "cabd" },
    { keys: ".group,-.metadata.name", order: "dbac" },
    { keys: ".group,-.size", order: "dbac" },
    { keys: "-.size", order: "dcba" },
    { keys: ".group,.size", order: "abdc" },
  ])("by $keys", ({ keys, order }) => expect(sorted(keys)).toBe(order));

  test("keeps equal objects as they came, also for a descending key", () => {
    expect(sorted("-.group")).toBe("cdba");
  });

  test("is an error for a key that no object has", () => {
    expect(() => sorted(".group,.colour")).toThrow('couldn\'t find any field with path "{.colour}"');
  });
});

const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? "";
