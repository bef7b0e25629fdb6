import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { object, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { bootstrapFlowControl } from "../../bootstrap/flow-control.js";
import { goJson } from "../go-shapes.js";
import { sameValue } from "../rules.js";

/** Without these two, some requests would have no place; "exempt" may still say how much it lends. */
const MANDATORY = ["exempt", "catch-all"];

/** What must be as it was made: the flow schemas and priority levels that every request falls to in the end. */
export function validateMandatory(
  subject: KubeObject,
  kind: "FlowSchema" | "PriorityLevelConfiguration",
): FieldError[] {
  const name = subject.metadata?.name ?? "";
  if (!MANDATORY.includes(name)) return [];
  const fixed = bootstrapFlowControl().find((one) => one.kind === kind && one.metadata?.name === name);
  const spec = object(subject.spec);
  const wanted = object(fixed?.spec);
  const lends = kind === "PriorityLevelConfiguration" && name === "exempt";
  if (sameValue(lends ? withoutExempt(spec) : spec, lends ? withoutExempt(wanted) : wanted)) return [];
  const exception = lends ? " except the 'spec.exempt' field" : "";
  return [
    invalidValue("spec", goJson(`${kind}Spec`, spec), `spec of '${name}'${exception} must equal the fixed value`),
  ];
}

const withoutExempt = (spec: ReadonlyFields): ReadonlyFields => ({ ...spec, exempt: undefined });
