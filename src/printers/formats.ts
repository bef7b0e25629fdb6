import { goQuote } from "../base/text/go-quote.js";
import { withMistyped } from "../base/text/mistyped.js";
import { customColumnsPrinter, parseColumns, parseColumnsFile } from "./custom-columns.js";
import { jsonPathPrinter } from "./jsonpath-printer.js";
import { jsonPrinter, namePrinter, omitManagedFields, yamlPrinter, inGoOrder } from "./object-printers.js";
import type { Look } from "./look.js";
import { type Printer, listItems, isPrintableEvent, requireKind } from "./printer.js";
import { decodeJson } from "../machinery/wire/json/json-decoder.js";
import { indentJson } from "../machinery/wire/json/indent-json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { sortedByKey } from "../machinery/meta/sorted-by-key.js";
import { emitKyaml } from "../machinery/text/yaml/kyaml.js";
import { YamlError } from "../machinery/text/yaml/yaml-error.js";

/** Encodes an object as Go does from its type: fields in the type's order, zero values included where Go does not omit them. */
export type EncodeTyped = (object: KubeObject) => string;

/** -o json of an object in a Go type: the type's own order, four spaces. */
const typedJsonPrinter = (encode: EncodeTyped): Printer => ({
  print: (object, out) => out(`${indentJson(encode(object), 4)}\n`),
});

/** Shows a printer what an object is once its type has written it. */
const typedPrinter = (inner: Printer, encode: EncodeTyped): Printer => ({
  ...inner,
  print: (object, out) => inner.print(decodeJson(encode(object)).value as KubeObject, out),
});

/** -o name takes no list in a Go type. */
const singleObjects = (inner: Printer): Printer => ({
  ...inner,
  print: (object, out) => {
    if (listItems(object) === undefined) return inner.print(object, out);
    const version = (object.apiVersion ?? "").split("/").at(-1) ?? "";
    throw new Error(`list types are not supported by name printing: *${version}.${object.kind ?? ""}`);
  },
});

/** The values of the output flags that every printing command has. */
export interface PrintRequest {
  /** -o; "" when it was not given. */
  readonly output: string;
  /** --template. */
  readonly template: string;
  readonly allowMissingTemplateKeys: boolean;
  readonly showManagedFields: boolean;
  /** Reads what jsonpath-file and the like name; throws an error worded as Go's. */
  readonly readFile: (path: string) => string;
  /** Set where kubectl holds objects in Go types: every format then prints what the types make of them. */
  readonly encode?: EncodeTyped | undefined;
  /** How documents and columns look where they go; without one, plain. */
  readonly look?: Look | undefined;
}

/** The formats that every printing command accepts, in the order in which its help lists them. */
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

/** The formats that `get` accepts: those for all objects, then its own. */
export const getFormats: readonly string[] = [...objectFormats, "custom-columns", "custom-columns-file", "wide"];

/** Makes the error for an unknown -o. */
export function noCompatiblePrinter(output: string, allowed: readonly string[]): Error {
  const formats = allowed.toSorted().join(",");
  const error = new Error(
    `unable to match a printer suitable for the output format ${goQuote(output)}, allowed formats are: ${formats}`,
  );
  // "go-templat=..." has its template behind it.
  return withMistyped(error, () => ({ typed: output.split("=", 1)[0] ?? "", known: allowed }));
}

/**
 * The printer for a command that did something: without -o it says what (`operation`, "created"). Throws for an unknown
 * format and for a template that does not parse.
 */
export function printerFor(request: PrintRequest, operation = ""): Printer {
  const output = request.template !== "" && request.output === "" ? "go-template" : request.output;
  if (output === "")
    return request.encode === undefined ? namePrinter(operation) : singleObjects(namePrinter(operation));
  const printer = structuredPrinter(request, output) ?? templatePrinter(request, output);
  if (printer === undefined) throw noCompatiblePrinter(request.output, objectFormats);
  return request.encode === undefined ? printer : typedPrinter(printer, request.encode);
}

/** Makes the printer of json, yaml, kyaml and name, in any case; undefined for another format. */
export function structuredPrinter(
  { showManagedFields, encode, look }: PrintRequest,
  output: string,
): Printer | undefined {
  const whole = (printer: Printer, form: "json" | "yaml" | "kyaml"): Printer =>
    painted(showManagedFields ? printer : omitManagedFields(printer), look?.paint?.[form]);
  switch (output.toLowerCase()) {
    case "json":
      return whole(encode === undefined ? jsonPrinter() : typedJsonPrinter(encode), "json");
    case "yaml":
      return whole(yamlPrinter(), "yaml");
    case "kyaml":
      return whole(kyamlPrinter({ inGivenOrder: encode !== undefined }), "kyaml");
    case "name":
      return encode === undefined ? namePrinter() : singleObjects(namePrinter());
    default:
      return undefined;
  }
}

const jsonPathFormats = ["jsonpath", "jsonpath-as-json", "jsonpath-file"];
const goTemplateFormats = ["go-template", "go-template-file", "template", "templatefile"];

/** Loaded when a command line asks for it: few do, and every other one would start later for it. */
let goTemplates: typeof import("./go-template-printer.js") | undefined;

/** Loads the module of a format, which must happen before its printer is made; most formats need none. */
export async function loadFormat(output: string): Promise<void> {
  const [format = ""] = output.split("=");
  if (goTemplateFormats.includes(format)) goTemplates ??= await import("./go-template-printer.js");
}

/** The printer for the formats with a template, which is after `=` or in --template; undefined for another format. */
export function templatePrinter(request: PrintRequest, output: string): Printer | undefined {
  const named = splitTemplate(request, output, [...jsonPathFormats, ...goTemplateFormats]);
  if (named === undefined) return undefined;
  const { format, value } = named;
  if (value === "") throw new Error("template format specified but no template given");
  const template = format.endsWith("file") ? readTemplate(request, value) : value;
  const allowMissingKeys = request.allowMissingTemplateKeys;
  const isTyped = request.encode !== undefined;
  if (goTemplateFormats.includes(format)) {
    if (goTemplates === undefined) throw new Error(`the format ${format} was not loaded`);
    return goTemplates.goTemplatePrinter(template, { allowMissingKeys, inGivenOrder: isTyped });
  }
  return jsonPathPrinter(template, { allowMissingKeys, asJson: format === "jsonpath-as-json", floats: isTyped });
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

/** Makes the printer of custom-columns and custom-columns-file, with tab-separated cells; undefined for another format. */
export function columnsPrinter(request: PrintRequest, output: string, noHeaders: boolean): Printer | undefined {
  const named = splitTemplate(request, output, ["custom-columns", "custom-columns-file"]);
  if (named === undefined) return undefined;
  const { format, value } = named;
  if (value === "") throw new Error("custom-columns format specified but no custom columns given");
  if (format === "custom-columns") return customColumnsPrinter(parseColumns(value), noHeaders, request.look);
  let text: string;
  try {
    text = request.readFile(value);
  } catch (error) {
    throw new Error(`error reading template ${value}, ${(error as Error).message}\n`, { cause: error });
  }
  return customColumnsPrinter(parseColumnsFile(text), false, request.look);
}

/** Paints each object that a printer writes, as a whole. */
function painted(inner: Printer, paint: ((text: string) => string) | undefined): Printer {
  if (paint === undefined) return inner;
  return {
    ...inner,
    print(object, out) {
      const pieces: string[] = [];
      try {
        inner.print(object, (text) => pieces.push(text));
      } finally {
        if (pieces.length > 0) out(paint(pieces.join("")));
      }
    },
  };
}

export interface KyamlPrintOptions {
  /** The objects come from Go types, whose order is kept. */
  readonly inGivenOrder: boolean;
}

/** -o kyaml: each object is a document with a `---` of its own, the first one too. */
function kyamlPrinter({ inGivenOrder }: KyamlPrintOptions): Printer {
  return {
    print(object, out) {
      if (isPrintableEvent(object)) {
        out(emit({ type: object.type, object: sortedByKey(object.object) }, true));
        return;
      }
      requireKind(object);
      const status = inGoOrder(object);
      out(emit(status ?? object, inGivenOrder || status !== undefined));
    },
  };
}

function emit(object: object, inGivenOrder: boolean): string {
  try {
    return emitKyaml(object, { inGivenOrder });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`error decoding: ${error.message}`, { cause: error });
  }
}
