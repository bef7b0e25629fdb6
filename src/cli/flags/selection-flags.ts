import type { FlagSpec } from "../../component/flags/flag-set.js";

// Flags by which commands that change objects choose them.

export const allFlag: FlagSpec = { name: "all", type: "bool", usage: "Everything of the given types in the namespace" };

export const allNamespacesFlag: FlagSpec = {
  name: "all-namespaces",
  short: "A",
  type: "bool",
  usage: "In all namespaces, whatever -n says",
};

export const fieldSelectorFlag: FlagSpec = {
  name: "field-selector",
  type: "string",
  usage: "Field selector: '=', '==' and '!='. The server knows a few fields of each type",
};

export const localFlag: FlagSpec = {
  name: "local",
  type: "bool",
  usage: "Change what the files hold and print it, without asking the server anything",
};

export const subresourceFlag: FlagSpec = {
  name: "subresource",
  type: "string",
  usage: "Work on this subresource of the object: status, scale or resize",
};

/** The values that completion offers for {@link subresourceFlag}. */
export const SUBRESOURCES: readonly string[] = ["status", "scale", "resize"];

/** Makes the error for --local together with operands, which name objects of a server. */
export const localResourceError = (): Error =>
  new Error(`error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`);
