import { invalid } from "../../../machinery/errors/status-error.js";
import { type FieldError, invalidValue, notSupported } from "../../../machinery/errors/field-error.js";
import type { FieldValidation } from "../representation/version-codec.js";

/** What a create, update or patch asks for in its query. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

const MAX_MANAGER_LENGTH = 128;
const LEVELS: readonly FieldValidation[] = ["Ignore", "Warn", "Strict"];

/** Reads and checks the query of a write. `kind` is CreateOptions, UpdateOptions or PatchOptions. */
export function writeOptions(query: URLSearchParams, kind: string): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const manager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [...dryRunProblems(dryRun)];
  if (Buffer.byteLength(manager) > MAX_MANAGER_LENGTH) {
    errors.push({
      type: "FieldValueTooLong",
      field: "fieldManager",
      detail: `may not be more than ${MAX_MANAGER_LENGTH} bytes`,
    });
  }
  const strange = manager.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (strange >= 0) {
    errors.push(
      invalidValue("fieldManager", manager, `should only contain printable characters (fails at #${strange})`),
    );
  }
  if (validation !== "" && !LEVELS.includes(validation as FieldValidation)) {
    errors.push(notSupported("fieldValidation", validation, LEVELS));
  }
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.includes("All"),
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
  };
}

/** dryRun holds "All" and nothing else. */
export function dryRunProblems(dryRun: readonly string[]): FieldError[] {
  const wrong = dryRun.some((value) => value !== "All" && value !== "");
  return wrong ? [notSupported("dryRun", dryRun, ["All"])] : [];
}
