import { compactRules, goList, readRules, resourceText } from "../../machinery/rbac/policy-rule.js";
import type { ReadonlyFields } from "../../machinery/meta/access.js";
import { headingCells, type Look, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";

const HEADINGS = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"];

/** The table of what the status of a SelfSubjectRulesReview allows. */
export function printRules(status: ReadonlyFields, noHeaders: boolean, look: Look, out: (text: string) => void): void {
  const rules = compactRules([...readRules(status["resourceRules"]), ...readRules(status["nonResourceRules"])]);
  const table = new TabWriter(out, { measure: look.measure, fit: look.fit });
  table.write.table?.(tableColumns(HEADINGS, !noHeaders));
  if (!noHeaders) table.write(`${headingCells(look, HEADINGS).join("\t")}\n`);
  for (const rule of rules) {
    const lists = [rule.nonResourceURLs, rule.resourceNames, rule.verbs].map(goList);
    table.write(`${[resourceText(rule), ...lists].join("\t")}\n`);
  }
  table.flush();
}
