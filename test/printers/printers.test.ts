import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { aligned } from "../../src/printers/aligned.js";
import { columnsPrinter, printerFor, type PrintRequest } from "../../src/printers/formats.js";
import { type HumanPrintOptions, humanPrinter } from "../../src/printers/human-printer.js";
import type { Printer } from "../../src/printers/printer.js";
import { sortObjects, sortTable } from "../../src/printers/sort.js";
import { plainLook } from "../../src/printers/look.js";

function print(printer: Printer, ...objects: KubeObject[]): string {
  let text = "";
  for (const object of objects) printer.print(object, (piece) => (text += piece));
  return text;
}

const request = (output: string, more: Partial<PrintRequest> = {}): PrintRequest => ({
  output,
  template: "",
  allowMissingTemplateKeys: true,
  showManagedFields: false,
  readFile: () => "{.kind}",
  ...more,
});

const pod = (name: string, more: KubeObject = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", labels: { app: "a", b: "c" }, managedFields: [{}] },
  ...more,
});

describe("printerFor(), which chooses the printer of -o,", () => {
  it.each([
    ["name", "pod/x\n"],
    ["yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    app: a\n    b: c\n  name: x\n  namespace: ns\n"],
    ["jsonpath={.metadata.name}", "x"],
    ["jsonpath-file=f", "Pod"],
    ["jsonpath-as-json={.metadata.labels}", '[\n    {\n        "app": "a",\n        "b": "c"\n    }\n]\n'],
    ["", "pod/x created\n"],
  ])("makes the printer of -o %s", (output, text) => {
    expect(print(printerFor(request(output), "created"), pod("x"))).toBe(text);
  });

  it("shows the group in a name", () => {
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };
    expect(print(printerFor(request("name")), deployment)).toBe("deployment.apps/web\n");
  });

  it("keeps managed fields when asked, and leaves the caller's object alone", () => {
    const object = pod("x");
    expect(print(printerFor(request("json")), object)).not.toContain("managedFields");
    expect(print(printerFor(request("json", { showManagedFields: true })), object)).toContain("managedFields");
  });

  it("separates YAML documents", () => {
    const list = { apiVersion: "v1", kind: "List", items: [] };
    const one = "apiVersion: v1\nitems: []\nkind: List\n";
    expect(print(printerFor(request("yaml")), list, list)).toBe(`${one}---\n${one}`);
  });

  it.each([
    {
      output: "x",
      error:
        'unable to match a printer suitable for the output format "x", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml',
    },
    { output: "jsonpath", error: "template format specified but no template given" },
    { output: "jsonpath={.x[}", error: "error parsing jsonpath {.x[}, unterminated array" },
  ])("refuses -o $output", ({ output, error }) => {
    expect(() => printerFor(request(output))).toThrow(new Error(error));
  });
});

describe("the custom-columns printer", () => {
  const columns = (spec: string): Printer => {
    const printer = columnsPrinter(request(`custom-columns=${spec}`), `custom-columns=${spec}`, false);
    if (printer === undefined) throw new Error("no printer");
    return aligned(printer);
  };

  it("prints what each path finds, joined by commas, and <none> for nothing", () => {
    const list = { apiVersion: "v1", kind: "List", items: [pod("x", { spec: { c: [{ i: 1 }, { i: 2 }] } }), pod("y")] };
    expect(print(columns("NAME:.metadata.name,I:spec.c[*].i,L:{.metadata.labels}"), list)).toBe(
      "NAME   I        L\nx      1,2      map[app:a b:c]\ny      <none>   map[app:a b:c]\n",
    );
  });

  it("refuses a column without a path", () => {
    expect(() => columns("NAME")).toThrow("unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>");
  });
});

describe("the table printer", () => {
  const columnDefinitions = [
    { name: "Name", type: "string", format: "name", priority: 0 },
    { name: "Ready", type: "integer", priority: 0 },
    { name: "Node", type: "string", priority: 1 },
  ];
  const table = (
    rows: readonly { cells: unknown[]; object?: KubeObject }[],
    columns: unknown = columnDefinitions,
  ): KubeObject => ({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    columnDefinitions: columns,
    rows,
  });
  const options: HumanPrintOptions = {
    noHeaders: false,
    wide: false,
    withNamespace: false,
    columnLabels: [],
    showLabels: false,
    look: plainLook,
    clock: { now: () => Date.parse("2026-01-01T00:05:30Z") },
  };
  const show = (more: Partial<HumanPrintOptions>, ...objects: KubeObject[]): string =>
    print(humanPrinter({ ...options, ...more }), ...objects);

  const one = table([{ cells: ["x", 1, "n1"], object: pod("x") }]);

  it.each([
    { name: "as the server made it", more: {}, text: "NAME\tREADY\nx\t1\n" },
    { name: "with the columns of -o wide", more: { wide: true }, text: "NAME\tREADY\tNODE\nx\t1\tn1\n" },
    { name: "with the namespace", more: { withNamespace: true }, text: "NAMESPACE\tNAME\tREADY\nns\tx\t1\n" },
    { name: "with the kind", more: { kind: { group: "apps", kind: "Web" } }, text: "NAME\tREADY\nweb.apps/x\t1\n" },
    {
      name: "with labels",
      more: { columnLabels: ["e.io/app", "b", "no"], showLabels: true },
      text: "NAME\tREADY\tAPP\tB\tNO\tLABELS\nx\t1\t\tc\t\tapp=a,b=c\n",
    },
    { name: "without headings", more: { noHeaders: true }, text: "x\t1\n" },
  ])("prints a table $name", ({ more, text }) => {
    expect(show(more, one)).toBe(text);
  });

  it("prints only the first line of a cell, and no control sequences", () => {
    expect(show({}, table([{ cells: ["a\nb", "\u001b[31m"] }]))).toBe("NAME\tREADY\na...\t^[[31m\n");
  });

  it("prints headings once, and uses the columns of the table before when one brings none", () => {
    expect(show({}, one, one, table([{ cells: ["y", 2, "n2"] }], []))).toBe("NAME\tREADY\nx\t1\nx\t1\ny\t2\n");
  });

  it("prints nothing for an empty table", () => {
    expect(show({}, table([]))).toBe("");
  });

  it("prints the event before the row of a watch", () => {
    expect(show({}, { type: "ADDED", object: one })).toBe("EVENT\tNAME\tREADY\nADDED   \tx\t1\n");
  });

  it("makes a table of name and age when the server made none", () => {
    const metadata = { name: "x", creationTimestamp: "2026-01-01T00:00:00Z" };
    expect(show({}, { kind: "List", apiVersion: "v1", items: [{ metadata }, { metadata: { name: "y" } }] })).toBe(
      "NAME\tAGE\nx\t5m30s\ny\t<unknown>\n",
    );
  });
});

describe("--sort-by", () => {
  const named = (values: readonly unknown[]): KubeObject[] =>
    values.map((value, index) => ({ metadata: { name: String(index) }, ...(value !== undefined && { value }) }));
  const order = (values: readonly unknown[]): string =>
    sortObjects(named(values), ".value", (object) => object)
      .map(({ metadata }) => metadata?.name)
      .join("");

  it.each([
    { name: "numbers by size", values: [10, 9, 1], result: "210" },
    { name: "text by bytes", values: ["b", "a10", "a9"], result: "120" },
    { name: "quantities by what they amount to", values: ["1Gi", "500Mi", "2k"], result: "210" },
    { name: "objects without the field first", values: [2, undefined, 1], result: "120" },
  ])("$name", ({ values, result }) => {
    expect(order(values)).toBe(result);
  });

  it("leaves equal objects where Go's sort leaves them", () => {
    // Taken from Go's sort.Sort over i % 3 for 15 items.
    const keys = Array.from({ length: 15 }, (_, index) => index % 3);
    const sorted = sortObjects(named(keys), "value", (object) => object).map(({ metadata }) => metadata?.name);
    expect(sorted.map(Number)).toEqual([6, 0, 12, 3, 9, 10, 1, 4, 7, 13, 8, 5, 11, 2, 14]);
  });

  it("refuses a field that no object has, and fields of several types", () => {
    expect(() => order([undefined, undefined])).toThrow(
      `couldn't find any field with path "{.value}" in the list of objects`,
    );
    expect(() => order([1, "a"])).toThrow("unsortable interface: interface");
  });

  it("sorts rows of a table by their objects", () => {
    const rows = ["b", "a"].map((name) => ({ cells: [name], object: { metadata: { name } } }));
    expect(sortTable({ columnDefinitions: [], rows }, ".metadata.name").rows.map(({ cells }) => cells[0])).toEqual([
      "a",
      "b",
    ]);
  });
});
