import { goQuote } from "../base/go-quote.js";
import { customColumnsPrinter, parseColumns, parseColumnsFile } from "./custom-columns.js";
import { jsonPathPrinter } from "./jsonpath-printer.js";
import { jsonPrinter, namePrinter, omitManagedFields, yamlPrinter } from "./object-printers.js";
import type { Printer } from "./printer.js";

/** What the flags of every command that prints objects say. */
export interface PrintRequest {
  /** -o; "" when it was not given. */
  readonly output: string;
  /** --template. */
  readonly template: string;
  readonly allowMissingTemplateKeys: boolean;
  readonly showManagedFields: boolean;
  /** Reads what jsonpath-file and the like name; throws an error worded as Go's. */
  readonly readFile: (path: string) => string;
}

/** The formats every printing command takes, in the order its help lists them. */
export const objectFormats: readonly string[] = [
  "json",
  "yaml",
  "kyaml",
  "name",
  "go-template",
  "go-template-file",
  "template",
  "templatefile",
  "jsonpath",
  "jsonpath-as-json",
  "jsonpath-file",
];

/** What `get` takes besides. */
export const getFormats: readonly string[] = [...objectFormats, "custom-columns", "custom-columns-file", "wide"];

/** An -o nobody knows. */
export function noCompatiblePrinter(output: string, allowed: readonly string[]): Error {
  const formats = allowed.toSorted().join(",");
  return new Error(
    `unable to match a printer suitable for the output format ${goQuote(output)}, allowed formats are: ${formats}`,
  );
}

/**
 * The printer for a command that did something: without -o it says what (`operation`, "created"). Throws for an unknown
 * format and for a template that does not parse.
 */
export function printerFor(request: PrintRequest, operation = ""): Printer {
  const output = request.template !== "" && request.output === "" ? "go-template" : request.output;
  if (output === "") return namePrinter(operation);
  const printer = structuredPrinter(request, output) ?? templatePrinter(request, output);
  if (printer === undefined) throw noCompatiblePrinter(request.output, objectFormats);
  return printer;
}

/** json, yaml and name, in any case; undefined for another format. */
export function structuredPrinter({ showManagedFields }: PrintRequest, output: string): Printer | undefined {
  const whole = (printer: Printer): Printer => (showManagedFields ? printer : omitManagedFields(printer));
  switch (output.toLowerCase()) {
    case "json":
      return whole(jsonPrinter());
    case "yaml":
      return whole(yamlPrinter());
    case "name":
      return namePrinter();
    default:
      return undefined;
  }
}

const jsonPathFormats = ["jsonpath", "jsonpath-as-json", "jsonpath-file"];

/** The formats that take a template, after `=` or in --template; undefined for another format. */
export function templatePrinter(request: PrintRequest, output: string): Printer | undefined {
  const named = splitTemplate(request, output, jsonPathFormats);
  if (named === undefined) return undefined;
  const { format, value } = named;
  if (value === "") throw new Error("template format specified but no template given");
  const template = format === "jsonpath-file" ? readTemplate(request, value) : value;
  return jsonPathPrinter(template, {
    allowMissingKeys: request.allowMissingTemplateKeys,
    asJson: format === "jsonpath-as-json",
  });
}

function readTemplate({ readFile }: PrintRequest, path: string): string {
  try {
    return readFile(path);
  } catch (error) {
    throw new Error(`error reading --template ${path}, ${(error as Error).message}`, { cause: error });
  }
}

/** The format and its template: from --template when that was given, else from what follows the `=`. */
function splitTemplate(
  { template }: PrintRequest,
  output: string,
  formats: readonly string[],
): { readonly format: string; readonly value: string } | undefined {
  if (template !== "") return formats.includes(output) ? { format: output, value: template } : undefined;
  const equals = output.indexOf("=");
  const format = equals === -1 ? output : output.slice(0, equals);
  return formats.includes(format) ? { format, value: equals === -1 ? "" : output.slice(equals + 1) } : undefined;
}

/** custom-columns and custom-columns-file, as tab-separated cells; undefined for another format. */
export function columnsPrinter(request: PrintRequest, output: string, noHeaders: boolean): Printer | undefined {
  const named = splitTemplate(request, output, ["custom-columns", "custom-columns-file"]);
  if (named === undefined) return undefined;
  const { format, value } = named;
  if (value === "") throw new Error("custom-columns format specified but no custom columns given");
  if (format === "custom-columns") return customColumnsPrinter(parseColumns(value), noHeaders);
  let text: string;
  try {
    text = request.readFile(value);
  } catch (error) {
    throw new Error(`error reading template ${value}, ${(error as Error).message}\n`, { cause: error });
  }
  return customColumnsPrinter(parseColumnsFile(text), false);
}
