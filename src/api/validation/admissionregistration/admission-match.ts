import { append } from "../../../base/collections/append.js";
import { duplicate, type FieldError, required } from "../../../machinery/errors/field-error.js";
import { absent, list, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import { MATCH_POLICIES, validateRuleWithOperations } from "./admission-rules.js";
import { named, oneOf, repeatedAt } from "../rules.js";
import { validateSelector } from "../selector.js";

const MUTATED_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

/** A deletion has no object to change. */
export function validateMutatedOperations(match: ReadonlyFields, path: string): FieldError[] {
  return objects(match.resourceRules).flatMap(({ operations }) =>
    list(operations).flatMap((one) => oneOf(one, `${path}.resourceRules.operations`, MUTATED_OPERATIONS)),
  );
}

/** A policy's matchConstraints or a binding's matchResources. */
export function validateMatchResources(match: ReadonlyFields, path: string): FieldError[] {
  const { matchPolicy: policy } = match;
  const errors = absent(policy)
    ? [required(`${path}.matchPolicy`)]
    : oneOf(policy, `${path}.matchPolicy`, MATCH_POLICIES);
  for (const field of ["namespaceSelector", "objectSelector"]) {
    if (absent(match[field])) errors.push(required(`${path}.${field}`));
    else append(errors, validateSelector(match[field], `${path}.${field}`));
  }
  for (const field of ["resourceRules", "excludeResourceRules"]) {
    append(
      errors,
      objects(match[field]).flatMap((rule, index) => validateNamedRule(rule, `${path}.${field}[${index}]`)),
    );
  }
  return errors;
}

function validateNamedRule(rule: ReadonlyFields, path: string): FieldError[] {
  const names = list(rule.resourceNames).map(text);
  const again = repeatedAt(names);
  const errors = names.flatMap((name, index) => {
    const at = `${path}.resourceNames[${index}]`;
    const wrong = named(name, at, pathSegmentErrors);
    return again.has(index) ? [...wrong, duplicate(at, name)] : wrong;
  });
  return [...errors, ...validateRuleWithOperations(rule, path)];
}
