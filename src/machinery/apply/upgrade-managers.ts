import { isJsonObject, type JsonObject } from "../meta/json.js";
import { has, union } from "./field-set.js";
import { parseFieldsV1, printFieldsV1 } from "./fields-v1.js";
import type { ManagedFieldsOperation } from "./managed-fields.js";
import type { PathElement } from "./path-element.js";

type Entries = readonly JsonObject[];

/** Returns the entries of metadata.managedFields with this operation that own the field. An entry that cannot be read owns nothing. */
export function ownersOf(entries: Entries, operation: ManagedFieldsOperation, path: readonly PathElement[]): Entries {
  return entries.filter((entry) => {
    if (entry["operation"] !== operation) return false;
    try {
      return has(parseFieldsV1(entry["fieldsV1"]), path);
    } catch {
      return false;
    }
  });
}

/**
 * Moves the fields that `from` manages by updates to the applier `to`, as client-go's csaupgrade does: the two sets of one version are
 * united, and other updates of `from` are removed. Returns the same list when `from` manages nothing.
 */
export function upgradeManager(entries: Entries, from: string, to: string): Entries {
  const isUpdater = (entry: JsonObject): boolean => isEntry(entry, from, "Update");
  const updater = entries.find(isUpdater);
  if (updater === undefined) return entries;
  const applier = entries.find((entry) => isEntry(entry, to, "Apply"));
  const target = applier ?? updater;
  const united = entries.find((entry) => isUpdater(entry) && entry["apiVersion"] === target["apiVersion"]);
  const fields = union(parseFieldsV1(target["fieldsV1"]), parseFieldsV1(united?.["fieldsV1"]));
  const upgraded: JsonObject = {
    ...target,
    manager: to,
    operation: "Apply",
    fieldsV1: printFieldsV1(fields),
  };
  return entries.flatMap((entry) => {
    if (entry === target) return [upgraded];
    return isUpdater(entry) ? [] : [entry];
  });
}

/** Of the object itself, not of a subresource. */
function isEntry(entry: JsonObject, manager: string, operation: ManagedFieldsOperation): boolean {
  return (
    isJsonObject(entry) &&
    entry["manager"] === manager &&
    entry["operation"] === operation &&
    (entry["subresource"] ?? "") === ""
  );
}
