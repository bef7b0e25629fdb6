import { compactRules, goList, readRules, resourceText } from "../../machinery/rbac/policy-rule.js";
import type { ReadonlyFields } from "../../machinery/meta/access.js";
import { TabWriter } from "../../printers/tab-writer.js";

/** The table of what the status of a SelfSubjectRulesReview allows. */
export function printRules(status: ReadonlyFields, noHeaders: boolean, out: (text: string) => void): void {
  const rules = compactRules([...readRules(status["resourceRules"]), ...readRules(status["nonResourceRules"])]);
  const table = new TabWriter(out);
  if (!noHeaders) table.write("Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  for (const rule of rules) {
    const lists = [rule.nonResourceURLs, rule.resourceNames, rule.verbs].map(goList);
    table.write(`${[resourceText(rule), ...lists].join("\t")}\n`);
  }
  table.flush();
}
