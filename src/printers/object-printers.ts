import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { emitYaml } from "../machinery/text/yaml/emit.js";
import { isPrintableEvent, listItems, type Printer, requireKind } from "./printer.js";

/** The printer for -o json: indented by four spaces, keys in byte order. Events of a watch are one line each. */
export function jsonPrinter(): Printer {
  return {
    print(object, out) {
      if (isPrintableEvent(object)) {
        const inner = encodeJson(object.object, { sortKeys: true });
        out(`{"type":${encodeJson(object.type)},"object":${inner}}\n`);
        return;
      }
      requireKind(object);
      const status = inGoOrder(object);
      out(`${encodeJson(status ?? object, { sortKeys: status === undefined, indent: 4 })}\n`);
    },
  };
}

const statusFields = ["kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"];

/** Sorts the fields of a Status as its Go type does; undefined for other objects, which kubectl prints sorted by key. */
export function inGoOrder(object: KubeObject): KubeObject | undefined {
  if (object.kind !== "Status" || object.apiVersion !== "v1") return undefined;
  return Object.fromEntries(
    statusFields.map((name) => [name, name === "metadata" ? (object.metadata ?? {}) : object[name]]),
  );
}

/** Makes the printer of -o yaml, which separates documents with `---`. */
export function yamlPrinter(): Printer {
  let printed = 0;
  return {
    print(object, out) {
      printed += 1;
      if (printed > 1) out("---\n");
      if (!isPrintableEvent(object)) requireKind(object);
      out(emitYaml(object));
    },
  };
}

/** The printer for -o name; with `operation` it prints the line about what was done: "deployment.apps/web created". */
export function namePrinter(operation = ""): Printer {
  const print = (object: KubeObject, out: (text: string) => void): void => {
    if (isPrintableEvent(object)) return print(object.object, out);
    const items = listItems(object);
    if (items !== undefined) {
      for (const item of items) print(item, out);
      return;
    }
    requireKind(object);
    out(`${qualifiedName(object)}${operation === "" ? "" : ` ${operation}`}\n`);
  };
  return { print };
}

/** "deployment.apps/web", "pod/web". */
function qualifiedName({ apiVersion = "", kind = "", metadata }: KubeObject): string {
  const group = apiVersion.includes("/") ? `.${apiVersion.slice(0, apiVersion.indexOf("/"))}` : "";
  return `${(kind || "<unknown>").toLowerCase()}${group}/${metadata?.name || "<unknown>"}`;
}

/** Wraps a printer so that it omits metadata.managedFields, in lists too; the caller's object is not changed. */
export function omitManagedFields(inner: Printer): Printer {
  return {
    print(object, out) {
      const items = listItems(object);
      inner.print(
        items === undefined ? withoutManagedFields(object) : { ...object, items: items.map(withoutManagedFields) },
        out,
      );
    },
  };
}

function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _omitted, ...metadata } = object.metadata;
  return { ...object, metadata };
}
