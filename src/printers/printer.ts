import type { KubeObject } from "../machinery/meta/object.js";
import type { TableColumns } from "./look.js";

/** The output of a printer. A writer that aligns tables also takes the properties of the next rows' columns. */
export interface Output {
  (text: string): void;
  readonly table?: (columns: TableColumns) => void;
}

/** Writes one object (or list, or Table) as a user sees it. Called once per object, in order; `end` once after the last. */
export interface Printer {
  print(object: KubeObject, out: Output): void;
  end?(out: (text: string) => void): void;
}

/** A watch event to print (--output-watch-events): the only printable value without apiVersion and kind of its own. */
export interface PrintableEvent extends KubeObject {
  readonly type: string;
  readonly object: KubeObject;
}

export function isPrintableEvent(object: KubeObject): object is PrintableEvent {
  const { kind, apiVersion, type, object: inner } = object;
  return (
    kind === undefined &&
    apiVersion === undefined &&
    typeof type === "string" &&
    typeof inner === "object" &&
    inner !== null
  );
}

/** Throws for an object with neither kind nor apiVersion, which printers of whole objects reject. */
export function requireKind(object: KubeObject): void {
  if ((object.kind ?? "") === "" && (object.apiVersion ?? "") === "") {
    throw new Error("missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type");
  }
}

/** The items of a list; undefined for any other object. */
export function listItems(object: KubeObject): readonly KubeObject[] | undefined {
  const { items } = object;
  return Array.isArray(items) ? (items as readonly KubeObject[]) : undefined;
}
