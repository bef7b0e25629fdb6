import { recordId, type ResourceRecord } from "../endpoints/resource-record.js";
import { builtinRecords } from "./records.js";

export { builtinRecords };

/** Finds the record of a built-in resource; undefined for generic behaviour. */
export function builtinRecord(group: string, resource: string): ResourceRecord | undefined {
  const id = recordId({ group, resource });
  return builtinRecords.find((record) => recordId(record) === id);
}
