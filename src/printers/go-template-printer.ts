import { goQuote } from "../base/text/go-quote.js";
import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import { goV } from "../machinery/text/go/go-values.js";
import { GoTemplate } from "../machinery/text/gotemplate/go-template.js";
import { TemplateError } from "../machinery/text/gotemplate/template-error.js";
import type { JsonObject, JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Printer } from "./printer.js";

export interface GoTemplatePrintOptions {
  readonly allowMissingKeys: boolean;
  /** The objects come from Go types, whose order the raw data shows. */
  readonly inGivenOrder?: boolean;
}

/**
 * -o go-template and its kin. Nothing ends the output. Throws when the template does not parse; one that does not fit an
 * object leaves what it printed until then, and below it what it was given, for the user who looks for the mistake.
 */
export function goTemplatePrinter(template: string, options: GoTemplatePrintOptions): Printer {
  const { allowMissingKeys, inGivenOrder = false } = options;
  const parsed = parse(template, !allowMissingKeys);
  return {
    print(object, out) {
      try {
        parsed.execute(object as JsonObject, out);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        out(debugText(template, encodeJson(object, { sortKeys: !inGivenOrder }), object, error.message));
        throw new Error(`error executing template ${goQuote(template)}: ${error.message}`, { cause: error });
      }
    },
  };
}

function parse(template: string, missingKeyIsError: boolean): GoTemplate {
  try {
    return new GoTemplate(template, { missingKeyIsError });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new Error(`error parsing template ${template}, ${error.message}`, { cause: error });
  }
}

function debugText(template: string, raw: string, object: KubeObject, message: string): string {
  return (
    `Error executing template: ${message}. Printing more information for debugging the template:\n` +
    `\ttemplate was:\n\t\t${template}\n` +
    `\traw data was:\n\t\t${raw}\n` +
    `\tobject given to template engine was:\n\t\t${goV(object as JsonValue)}\n\n`
  );
}
