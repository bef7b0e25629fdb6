import type { KubeObject } from "../../machinery/meta/object.js";
import type { Strategy } from "../registry/strategy.js";

type Validate = NonNullable<Strategy["validate"]>;
type ValidateUpdate = NonNullable<Strategy["validateUpdate"]>;

/** Makes a strategy that validates updates with the rules for creation, and with `change` as well. */
export function checked(validate: Validate, change?: ValidateUpdate): Strategy {
  return {
    validate,
    validateUpdate: (object, old, context) => [...validate(object, context), ...(change?.(object, old, context) ?? [])],
  };
}

/** The same warnings for a create and for an update. */
export const warned = (warnings: (object: KubeObject) => readonly string[]): Strategy => ({
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
});
