import { BETA_RULES, withBetaErrors } from "../../api/validation/declarative/beta-rules.js";
import { recordId, type ResourceRecord } from "../endpoints/resource-record.js";

/** Adds the declared rules of the kind to a record's strategy, after its own. */
export function withDeclaredRules(record: ResourceRecord): ResourceRecord {
  const id = recordId(record);
  const rules = Object.hasOwn(BETA_RULES, id) ? BETA_RULES[id] : undefined;
  if (rules === undefined) return record;
  const { strategy = {} } = record;
  return {
    ...record,
    strategy: {
      ...strategy,
      validate: (object, context) =>
        withBetaErrors(strategy.validate?.(object, context) ?? [], rules, object, undefined, context),
      validateUpdate: (object, old, context) =>
        withBetaErrors(strategy.validateUpdate?.(object, old, context) ?? [], rules, object, old, context),
    },
  };
}
