import { decodeJson } from "../machinery/wire/json/json-decoder.js";
import { indentJson } from "../machinery/wire/json/indent-json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { listItems, type Printer } from "./printer.js";

/** The JSON that Go makes of an object from its type: fields in the type's order, what Go does not leave out written. */
export type EncodeTyped = (object: KubeObject) => string;

/** -o json of an object in a Go type: the type's own order, four spaces. */
export const typedJsonPrinter = (encode: EncodeTyped): Printer => ({
  print: (object, out) => out(`${indentJson(encode(object), 4)}\n`),
});

/** Shows a printer what an object is once its type has written it. */
export const typedPrinter = (inner: Printer, encode: EncodeTyped): Printer => ({
  ...inner,
  print: (object, out) => inner.print(decodeJson(encode(object)).value as KubeObject, out),
});

/** -o name takes no list in a Go type. */
export const singleObjects = (inner: Printer): Printer => ({
  ...inner,
  print: (object, out) => {
    if (listItems(object) === undefined) return inner.print(object, out);
    const version = (object.apiVersion ?? "").split("/").at(-1) ?? "";
    throw new Error(`list types are not supported by name printing: *${version}.${object.kind ?? ""}`);
  },
});
