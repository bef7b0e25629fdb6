import { append } from "../../../base/collections/append.js";
import { invalid } from "../../../machinery/errors/status-error.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import type { FieldValidation } from "../representation/version-codec.js";

/** What a create, update or patch asks for in its query. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** "" when none is given. */
  readonly fieldManager: string;
  /** Of an apply. */
  readonly force: boolean;
}

const MAX_MANAGER_LENGTH = 128;
const LEVELS: readonly FieldValidation[] = ["Ignore", "Warn", "Strict"];

/** Reads and checks the query of a write. `kind` is CreateOptions, UpdateOptions or PatchOptions; an apply is a patch too. */
export function writeOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  { apply = false } = {},
): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const manager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [];
  if (apply) {
    if (manager === "") errors.push(required("fieldManager", "is required for apply patch"));
  } else if (kind === "PatchOptions" && query.has("force")) {
    errors.push(forbiddenField("force", "may not be specified for non-apply patch"));
  }
  append(errors, dryRunProblems(dryRun));
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
    fieldManager: manager,
    force: isTrue(query.get("force")),
  };
}

/** As Go reads a boolean of a query: anything but "false" and "0". */
const isTrue = (value: string | null): boolean => value !== null && value !== "0" && value.toLowerCase() !== "false";

/** dryRun holds "All" and nothing else. */
export function dryRunProblems(dryRun: readonly string[]): FieldError[] {
  const wrong = dryRun.some((value) => value !== "All" && value !== "");
  return wrong ? [notSupported("dryRun", dryRun, ["All"])] : [];
}
