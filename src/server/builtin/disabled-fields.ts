import { FIELDS_BEHIND_GATES } from "../../api/gates/fields-behind-gates.js";
import { GatedFields } from "../../api/gates/gated-fields.js";
import { recordId, type ResourceRecord, type SubresourceRecord } from "../endpoints/resource-record.js";

/** Makes the record's strategy drop fields behind disabled gates, before its own preparation. */
export function withoutDisabledFields(record: ResourceRecord): ResourceRecord {
  const id = recordId(record);
  const paths = Object.hasOwn(FIELDS_BEHIND_GATES, id) ? FIELDS_BEHIND_GATES[id] : undefined;
  if (paths === undefined) return record;
  const fields = new GatedFields(paths);
  const { strategy = {}, subresources } = record;
  return {
    ...record,
    ...(subresources && {
      subresources: Object.fromEntries(
        Object.entries(subresources).map(([name, subresource]) => [name, ofPart(subresource, fields)]),
      ),
    }),
    strategy: {
      ...strategy,
      prepareForCreate(draft, context) {
        fields.dropOfNew(draft, context.gates);
        strategy.prepareForCreate?.(draft, context);
      },
      prepareForUpdate(draft, old, context) {
        fields.drop(draft, old, context.gates, "others");
        strategy.prepareForUpdate?.(draft, old, context);
      },
      prepareForStatusUpdate(draft, old, context) {
        fields.drop(draft, old, context.gates, "status");
        strategy.prepareForStatusUpdate?.(draft, old, context);
      },
    },
  };
}

/** A subresource that writes a part of the object writes no disabled field either. */
function ofPart(subresource: SubresourceRecord, fields: GatedFields): SubresourceRecord {
  if (!("part" in subresource)) return subresource;
  const { part } = subresource;
  return {
    part: {
      ...part,
      prepare(draft, old, context) {
        part.prepare(draft, old, context);
        fields.drop(draft, old, context.gates, "others");
      },
    },
  };
}
