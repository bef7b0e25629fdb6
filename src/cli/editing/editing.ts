import { noCompatiblePrinter, type PrintRequest, structuredPrinter } from "../../printers/formats.js";
import type { Printer } from "../../printers/printer.js";
import type { EditOptions } from "./edit-in-editor.js";
import type { Factory } from "../connect/factory.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";

/** Whether an editor gets CRLF. */
export const windowsLineEndingsFlag: FlagSpec = {
  name: "windows-line-endings",
  type: "bool",
  usage: "End lines as Windows does. By default they end as on this platform",
};

export const readWindowsLineEndings = (flags: Flags, { platform }: Pick<Factory, "platform">): boolean =>
  flags.changed("windows-line-endings") ? flags.bool("windows-line-endings") : platform === "win32";

/** Returns the options of editing that -o and the platform decide. */
export function editFormat(request: PrintRequest): Pick<EditOptions, "json" | "printer"> {
  const format = request.output === "" ? "yaml" : request.output;
  return { json: request.output === "json", printer: () => editPrinter(request, format) };
}

const FORMATS = ["json", "yaml", "kyaml"];

function editPrinter(request: PrintRequest, format: string): Printer {
  const known = FORMATS.includes(format.toLowerCase());
  const printer = known
    ? structuredPrinter({ ...request, showManagedFields: false, look: undefined }, format)
    : undefined;
  if (printer === undefined) throw noCompatiblePrinter(format, FORMATS);
  return printer;
}

/** Returns a reader of edited text, which does not GET the objects again. */
export const editedReader =
  ({ builder }: Pick<Factory, "builder">): EditOptions["read"] =>
  async (text) => {
    const result = await (await builder()).text("edited-file", text).continueOnError().flatten().do();
    return result.infos();
  };
