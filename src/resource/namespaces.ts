import { goQuote } from "../base/text/go-quote.js";
import type { Info } from "./info.js";
import type { VisitorFn } from "./visitor.js";

// Steps that settle the namespace of a namespaced item, in Info and object alike. The object is copied, not changed.

/** Sets the namespace of every namespaced Info that names none. */
export const setNamespace =
  (namespace: string): VisitorFn =>
  async (info) => {
    if (info.mapping.namespaced && info.namespace === "") assign(info, namespace);
  };

/** Sets the namespace of every namespaced Info that names none, and rejects one with another namespace. */
export const requireNamespace =
  (namespace: string): VisitorFn =>
  async (info) => {
    if (!info.mapping.namespaced) return;
    if (info.namespace === "") return assign(info, namespace);
    if (info.namespace !== namespace) {
      throw new Error(
        `the namespace from the provided object ${goQuote(info.namespace)} does not match the namespace ${goQuote(namespace)}. You must pass '--namespace=${info.namespace}' to perform this operation.`,
      );
    }
  };

/** Removes the namespace of every Info whose kind has no namespaces. */
export const filterNamespace: VisitorFn = async (info) => {
  if (!info.mapping.namespaced) assign(info, "");
};

function assign(info: Info, namespace: string): void {
  info.namespace = namespace;
  if (info.object === undefined) return;
  const { namespace: before, ...metadata } = info.object.metadata ?? {};
  if (before === undefined && namespace === "") return;
  info.object = { ...info.object, metadata: namespace === "" ? metadata : { ...metadata, namespace } };
}
