import { LITERAL_VALIDATORS } from "../../cel/checker/validators.js";
import { Environment } from "../../cel/environment.js";
import { LISTS } from "../../cel/extensions/lists.js";
import { OPTIONAL_TYPES } from "../../cel/extensions/optionals.js";
import { SETS } from "../../cel/extensions/sets.js";
import { STRINGS_2 } from "../../cel/extensions/strings.js";
import { TWO_VARIABLE_COMPREHENSIONS } from "../../cel/extensions/two-variable.js";
import { optionalType } from "../../cel/types/type.js";
import type { NamedTypes } from "./named-types.js";

let base: Environment | undefined;

function baseEnvironment(): Environment {
  base ??= Environment.create({
    homogeneousLiterals: true,
    validators: LITERAL_VALIDATORS,
    libraries: [STRINGS_2, LISTS, SETS, TWO_VARIABLE_COMPREHENSIONS, OPTIONAL_TYPES],
  });
  return base;
}

/** What rules may name: `self`, and `oldSelf`, which is an optional value where the rule also runs without one. */
export function ruleEnvironment(types: NamedTypes, optionalOldSelf: boolean): Environment {
  const { self } = types;
  return baseEnvironment().extend({
    types,
    variables: [
      { name: "self", type: self },
      { name: "oldSelf", type: optionalOldSelf ? optionalType(self) : self },
    ],
  });
}
