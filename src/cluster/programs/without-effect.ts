import type { ComponentFlag } from "../../component/component-flag.js";
import type { FlagType } from "../../component/flags/flag-set.js";

/** A flag of Kubernetes that the program takes, warns about and does not obey. `value` is its default as help prints it. */
export const withoutEffect = (
  name: string,
  type: FlagType,
  value: string,
  usage: string,
  why: string,
): ComponentFlag => ({ name, type, ...(value !== "" && { default: value }), usage, withoutEffect: why });
