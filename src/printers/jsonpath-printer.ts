import { goQuote } from "../base/text/go-quote.js";
import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import { goSharpV } from "../machinery/text/go/go-values.js";
import { JsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import { JsonPathError } from "../machinery/text/jsonpath/nodes.js";
import type { JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Printer } from "./printer.js";

export interface JsonPathPrintOptions {
  readonly allowMissingKeys: boolean;
  /** jsonpath-as-json: what each part found, as an indented JSON list. */
  readonly asJson?: boolean;
  /** Numbers are float64s. */
  readonly floats?: boolean;
}

/**
 * The printer for -o jsonpath and similar formats. It adds no newline at the end, so that scripts get the bare value. Throws when
 * the template cannot be parsed.
 */
export function jsonPathPrinter(template: string, options: JsonPathPrintOptions): Printer {
  const path = parse(template, options);
  return {
    print(object, out) {
      out(
        run(template, object, options, () =>
          options.asJson === true ? printAsJson(path, object) : path.print(object),
        ),
      );
    },
  };
}

function parse(template: string, { allowMissingKeys, floats = false }: JsonPathPrintOptions): JsonPath {
  try {
    return new JsonPath(template, { allowMissingKeys, floats });
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new Error(`error parsing jsonpath ${template}, ${error.message}`, { cause: error });
  }
}

function printAsJson(path: JsonPath, object: KubeObject): string {
  return path
    .find(object)
    .map((found) => `${encodeJson(found, { sortKeys: true, indent: 4 })}\n`)
    .join("");
}

function run(
  template: string,
  object: KubeObject,
  { floats = false }: JsonPathPrintOptions,
  evaluate: () => string,
): string {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    const help =
      `Error executing template: ${error.message}. Printing more information for debugging the template:\n` +
      `\ttemplate was:\n\t\t${template}\n` +
      `\tobject given to jsonpath engine was:\n\t\t${goSharpV(object as JsonValue, { floats })}\n\n`;
    throw new Error(`error executing jsonpath ${goQuote(template)}: ${help}\n`, { cause: error });
  }
}
