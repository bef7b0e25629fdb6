import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { list, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { dns1035LabelErrors } from "../../../machinery/validation/names.js";

/** The names of a definition, or those that were accepted: each may be missing here. `path` is "spec.names". */
export function validateDefinitionNames(names: ReadonlyFields, path: string): FieldError[] {
  const errors = ["plural", "singular"].flatMap((field) => labelProblem(text(names[field]), `${path}.${field}`));
  for (const field of ["kind", "listKind"]) {
    const value = text(names[field]);
    const wrong = value === "" ? [] : dns1035LabelErrors(value.toLowerCase());
    if (wrong.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
    errors.push(invalidValue(`${path}.${field}`, value, detail));
  }
  append(errors, labelProblems(names.shortNames, `${path}.shortNames`));
  if (text(names.kind) !== "" && names.kind === names.listKind) {
    errors.push(invalidValue(`${path}.listKind`, text(names.listKind), "kind and listKind may not be the same"));
  }
  return [...errors, ...labelProblems(names.categories, `${path}.categories`)];
}

const labelProblems = (values: unknown, path: string): FieldError[] =>
  list(values).flatMap((value, index) => labelProblem(text(value), `${path}[${index}]`, true));

/** All that is wrong with one name, in one error. */
function labelProblem(value: string, path: string, whenEmpty = false): FieldError[] {
  if (value === "" && !whenEmpty) return [];
  const wrong = dns1035LabelErrors(value);
  return wrong.length === 0 ? [] : [invalidValue(path, value, wrong.join(","))];
}
