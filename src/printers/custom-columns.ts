import { goV } from "../machinery/text/go/go-values.js";
import { JsonPath, relaxedJsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { headingCells, type Look, plainLook, rowCells, tableColumns } from "./look.js";
import { listItems, type Printer } from "./printer.js";
import { escapeForTerminal } from "./terminal-escape.js";

export interface CustomColumn {
  readonly heading: string;
  /** A whole JSONPath template. */
  readonly path: string;
}

/** Reads "NAME:metadata.name,AGE:{.metadata.creationTimestamp}". */
export function parseColumns(spec: string): readonly CustomColumn[] {
  if (spec === "") throw new Error("custom-columns format specified but no custom columns given");
  return spec.split(",").map((part) => {
    const colon = part.indexOf(":");
    if (colon === -1) throw new Error(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return { heading: part.slice(0, colon), path: relaxedJsonPath(part.slice(colon + 1)) };
  });
}

/** Reads a file of two lines: headings, then paths, parted by white space. */
export function parseColumnsFile(text: string): readonly CustomColumn[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const [headings, paths] = [words(lines[0], "header"), words(lines[1], "spec")];
  if (headings.length !== paths.length) {
    throw new Error(`number of headers (${headings.length}) and field specifications (${paths.length}) don't match`);
  }
  return headings.map((heading, index) => ({ heading, path: relaxedJsonPath(paths[index] ?? "") }));
}

function words(line: string | undefined, which: string): readonly string[] {
  if (line === undefined) {
    throw new Error(
      `invalid template, missing ${which} line. Expected format is one line of space separated headers, one line of space separated column specs.`,
    );
  }
  return line.split(/\s+/).filter((word) => word !== "");
}

/** The paths of what an object is called, whatever stands above them. */
const NAMES: ReadonlySet<string> = new Set(["{.metadata.name}", "{.metadata.namespace}"]);

/** The printer for -o custom-columns. It writes tab-separated cells: wrap it in `aligned`, or use a TabWriter's `write`. */
export function customColumnsPrinter(
  columns: readonly CustomColumn[],
  noHeaders: boolean,
  look: Look = plainLook,
): Printer {
  const headings = columns.map(({ heading }) => heading);
  let lastForm: "list" | "object" | undefined;
  let paths: readonly JsonPath[] | undefined;
  const { names: named } = tableColumns(headings, false);
  const names = columns.map(({ path }, index) => named[index] === true || NAMES.has(path));
  return {
    print(object, out) {
      const items = listItems(object);
      const form = items === undefined ? "object" : "list";
      const headed = !noHeaders && form !== lastForm;
      out.table?.({ names, headed });
      if (headed) {
        out(`${headingCells(look, headings).join("\t")}\n`);
        lastForm = form;
      }
      // Parsed here, since kubectl too prints the headings before it finds a path wrong.
      paths ??= columns.map(({ path }) => new JsonPath(path, { allowMissingKeys: true }));
      for (const item of items ?? [object]) out(`${rowCells(look, headings, row(item, paths)).join("\t")}\n`);
    },
  };
}

function row(object: KubeObject, paths: readonly JsonPath[]): readonly string[] {
  return paths.map((path) => {
    const found = path.find(object);
    const values = found.flat().map((value) => escapeForTerminal(goV(value)));
    return ((found[0]?.length ?? 0) === 0 ? ["<none>", ...values] : values).join(",");
  });
}
