import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { object, type ReceivedObject } from "../../../machinery/meta/received.js";
import { bootstrapFlowControl } from "../../bootstrap/flow-control.js";
import type { FlowSchema, PriorityLevelConfiguration } from "../../types/flowcontrol/v1.js";
import { goJson } from "../go-shapes.js";
import { sameValue } from "../rules.js";

/** Without these two, some requests would have no place; "exempt" may still say how much it lends. */
const MANDATORY = ["exempt", "catch-all"];

/** What must be as it was made: the flow schemas and priority levels that every request falls to in the end. */
export function validateMandatory(
  subject: ReceivedObject<FlowSchema | PriorityLevelConfiguration>,
  kind: "FlowSchema" | "PriorityLevelConfiguration",
): FieldError[] {
  const name = subject.metadata?.name ?? "";
  if (!MANDATORY.includes(name)) return [];
  const fixed = bootstrapFlowControl().find((one) => one.kind === kind && one.metadata?.name === name);
  const spec = object(subject.spec);
  const lends = kind === "PriorityLevelConfiguration" && name === "exempt";
  if (sameValue(lends ? withoutExempt(spec) : spec, lends ? withoutExempt(fixed?.spec) : fixed?.spec)) return [];
  const exception = lends ? " except the 'spec.exempt' field" : "";
  return [
    invalidValue("spec", goJson(`${kind}Spec`, spec), `spec of '${name}'${exception} must equal the fixed value`),
  ];
}

function withoutExempt(spec: unknown): object {
  return { ...(typeof spec === "object" ? spec : {}), exempt: undefined };
}
