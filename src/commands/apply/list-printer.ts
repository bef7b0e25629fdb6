import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { sortedByKey } from "../../machinery/meta/sorted-by-key.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import type { Printer } from "../../printers/printer.js";
import { isList } from "../../resource/is-list.js";

/** For objects, and for the List of them that kubectl puts together itself: that one is printed as its Go type has it. */
export function listPrinter(request: PrintRequest): Printer {
  const single = printerFor(request);
  const list = printerFor({ ...request, encode: encodeList });
  return { print: (object: KubeObject, out) => (isList(object) ? list : single).print(object, out) };
}

/** The fields of the List in the order of its type, of the objects in it in the order of their names. */
function encodeList({ kind, apiVersion, metadata, ...rest }: KubeObject): string {
  return encodeJson({ kind, apiVersion, metadata, ...(sortedByKey(rest) as object) });
}
