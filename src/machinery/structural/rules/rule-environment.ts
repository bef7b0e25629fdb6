import type { Environment } from "../../cel/environment.js";
import { KUBERNETES_PROGRAM, kubernetesEnvironment } from "../../cel/kubernetes/environment.js";
import type { ProgramOptions } from "../../cel/program.js";
import { optionalType } from "../../cel/types/type.js";
import type { NamedTypes } from "./named-types.js";

/** How rules are evaluated. The limit of steps, about 30 milliseconds, is ours: it ends what costs little and takes long. */
export const RULE_PROGRAM: ProgramOptions = { ...KUBERNETES_PROGRAM, stepLimit: 1_000_000 };

/** What rules may name: `self`, and `oldSelf`, which is an optional value where the rule also runs without one. */
export function ruleEnvironment(types: NamedTypes, optionalOldSelf: boolean): Environment {
  const { self } = types;
  return kubernetesEnvironment().extend({
    types,
    variables: [
      { name: "self", type: self },
      { name: "oldSelf", type: optionalOldSelf ? optionalType(self) : self },
    ],
  });
}
