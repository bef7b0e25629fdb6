import type { FlagSpec, Flags } from "./flag-set.js";
import { parseGoBool } from "../../base/text/go-literals.js";
import { withMistyped } from "../../base/text/mistyped.js";

export const cascadeFlag: FlagSpec = {
  name: "cascade",
  type: "string",
  default: "background",
  bare: "background",
  usage: 'Must be "background", "orphan", or "foreground". What becomes of the objects that the deleted one owns',
};

export type PropagationPolicy = "Background" | "Foreground" | "Orphan";

/** Reads --cascade. The deprecated boolean values are accepted with a warning. */
export function readCascade(flags: Flags, warn: (text: string) => void): PropagationPolicy {
  const value = flags.string("cascade");
  switch (value) {
    case "orphan":
      return "Orphan";
    case "foreground":
      return "Foreground";
    case "background":
      return "Background";
  }
  const bool = parseGoBool(value);
  if (bool === undefined) {
    const error = new Error(`invalid cascade value (${value}). Must be "background", "foreground", or "orphan"`);
    throw withMistyped(error, () => ({ typed: value, known: ["background", "foreground", "orphan"] }));
  }
  const instead = bool ? "background" : "orphan";
  warn(`warning: --cascade=${value} is deprecated (boolean value) and can be replaced with --cascade=${instead}.\n`);
  return bool ? "Background" : "Orphan";
}
