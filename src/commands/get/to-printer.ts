import type { Clock } from "../../base/time/clock.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import { aligned } from "../../printers/aligned.js";
import {
  columnsPrinter,
  getFormats,
  loadFormat,
  noCompatiblePrinter,
  structuredPrinter,
  templatePrinter,
} from "../../printers/formats.js";
import { humanPrinter } from "../../printers/human-printer.js";
import type { Printer } from "../../printers/printer.js";
import type { GetPrintOptions } from "./options.js";

export interface PrinterContext {
  readonly clock: Clock;
  readonly withNamespace: boolean;
  /** The output goes to a TabWriter, which aligns the cells. */
  readonly tabbed: boolean;
  /** The kind to show before names. */
  readonly kind?: GroupKind | undefined;
}

/** Loaded when a command line asks for it. */
let decodedSecrets: typeof import("../../printers/decoded-secret-printer.js") | undefined;

/** Loads the module for the value of -o. */
export async function loadGetFormat(output: string): Promise<void> {
  if (output === "decoded") decodedSecrets ??= await import("../../printers/decoded-secret-printer.js");
  await loadFormat(output);
}

/**
 * Makes the printer for -o. The table printer writes tab-separated cells, and so does that of custom columns if `tabbed`. Throws
 * for an unknown format and an invalid template.
 */
export function toPrinter(options: GetPrintOptions, context: PrinterContext): Printer {
  const printer = findPrinter(options, context);
  return options.sortBy === "" ? printer : (sorting()?.sortingPrinter(printer, options.sortBy) ?? printer);
}

function findPrinter(options: GetPrintOptions, { clock, withNamespace, kind, tabbed }: PrinterContext): Printer {
  const output = options.template !== "" && options.output === "" ? "go-template" : options.output;
  const template = templatePrinter(options, output);
  if (template !== undefined) return template;
  // `name` comes last in kubectl; no other format answers to it, so that the order shows nowhere.
  const structured = structuredPrinter(options, output);
  if (structured !== undefined) return structured;
  if (output === "decoded" && decodedSecrets !== undefined) return decodedSecrets.decodedSecretPrinter();
  if (output === "" || output === "wide") {
    const { noHeaders, columnLabels, showLabels, look } = options;
    const wide = output === "wide";
    return humanPrinter({ noHeaders, wide, withNamespace, kind, columnLabels, showLabels, look, clock });
  }
  const columns = columnsPrinter(options, output, options.noHeaders);
  if (columns === undefined) throw noCompatiblePrinter(output, getFormats);
  return tabbed ? columns : aligned(columns, options.look);
}

/** Loaded when a command line asks for it: most do not, and would start later for it. */
let loaded: typeof import("./sort-by.js") | undefined;

/** Loads the module for --sort-by. */
export async function loadSorting(): Promise<void> {
  loaded ??= await import("./sort-by.js");
}

/** The module for --sort-by; undefined without the flag. */
export const sorting = (): typeof loaded => loaded;
