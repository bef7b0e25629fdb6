import type { PolicyRule } from "../../api/types/rbac/v1.js";
import type { Received } from "../../machinery/meta/received.js";
import { compactRules, readRules, resourceText } from "../../machinery/rbac/policy-rule.js";
import type { Description } from "./description.js";
import { slice } from "./go-fields.js";

/** "PolicyRule:" and a table of all that rules allow: a line for each resource and each name, and for each verb of a path. */
export function describePolicyRules(description: Description, rules: readonly Received<PolicyRule>[]): void {
  description.write(0, "PolicyRule:\n");
  description.write(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  description.write(1, "---------\t-----------------\t--------------\t-----\n");
  for (const rule of compactRules(readRules(rules))) {
    const { nonResourceURLs, resourceNames, verbs } = rule;
    description.write(
      1,
      `${resourceText(rule)}\t${slice(nonResourceURLs)}\t${slice(resourceNames)}\t${slice(verbs)}\n`,
    );
  }
}
