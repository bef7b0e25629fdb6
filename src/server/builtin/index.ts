import { recordId, type ResourceRecord } from "../endpoints/resource-record.js";
import { withDeclaredRules } from "./declared-rules.js";
import { withoutDisabledFields } from "./disabled-fields.js";
import { builtinRecords as records } from "./records.js";
import { withStatusWrite } from "./status-writes.js";

export const builtinRecords: readonly ResourceRecord[] = records.map((record) =>
  withStatusWrite(withDeclaredRules(withoutDisabledFields(record))),
);

/** Finds the record of a built-in resource; undefined for generic behaviour. */
export function builtinRecord(group: string, resource: string): ResourceRecord | undefined {
  const id = recordId({ group, resource });
  return builtinRecords.find((record) => recordId(record) === id);
}
