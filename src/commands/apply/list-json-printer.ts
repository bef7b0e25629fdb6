import { compareKeys } from "../../base/key-order.js";
import { encodeJson } from "../../machinery/codec/json-encoder.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { omitManagedFields } from "../../printers/object-printers.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import type { Printer } from "../../printers/printer.js";
import { isList } from "../../resource/is-list.js";

/** -o json, with the fields of a List in the order of the Go type, as kubectl prints the list it puts together itself. */
export function listJsonPrinter(request: PrintRequest): Printer {
  const single = printerFor(request);
  const list: Printer = {
    print({ kind, apiVersion, metadata, ...rest }, out) {
      const ordered = inKeyOrder(rest as JsonObject);
      out(`${encodeJson({ kind, apiVersion, metadata, ...ordered }, { indent: 4 })}\n`);
    },
  };
  const whole = request.showManagedFields ? list : omitManagedFields(list);
  return { print: (object: KubeObject, out) => (isList(object) ? whole : single).print(object, out) };
}

function inKeyOrder(object: JsonObject): JsonObject {
  const ordered = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(ordered);
    return isJsonObject(value) ? inKeyOrder(value) : value;
  };
  return Object.fromEntries(
    Object.entries(object)
      .sort(([a], [b]) => compareKeys(a, b))
      .map(([key, value]) => [key, ordered(value)]),
  );
}
