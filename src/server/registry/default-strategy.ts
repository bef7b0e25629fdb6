import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ScaleSpec } from "../../api/types/autoscaling/v1.js";
import type { ServerGates } from "../../api/gates/feature-gates.js";
import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { ScaleMapping, Strategy } from "./strategy.js";
import type { TableColumns } from "./table-columns.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { selectorFromSet } from "../../machinery/selectors/label-selector.js";

/** A strategy with every field and hook that the Store uses without checking for undefined. */
export interface ResolvedStrategy extends Strategy {
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  readonly hasGeneration: boolean;
  readonly keepsStatusOnCreate: boolean;
  readonly returnsDeletedObject: boolean;
  readonly columns: TableColumns;
  readonly scale: ScaleMapping;
  validateName(name: string, gates: ServerGates): readonly string[];
}

/** Completes a kind's strategy: a hook that `special` leaves out gets the generic behaviour. */
export function resolveStrategy(special: Strategy | undefined, gates: ServerGates): ResolvedStrategy {
  const { hasGeneration = false } = special ?? {};
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    keepsStatusOnCreate: false,
    returnsDeletedObject: false,
    columns: DEFAULT_COLUMNS,
    scale: DEFAULT_SCALE,
    validateName: dns1123SubdomainErrors,
    ...special,
    hasGeneration: typeof hasGeneration === "string" ? gates.enabled(hasGeneration) : hasGeneration,
  };
}

/** The columns of apiserver's default table convertor. */
const DEFAULT_COLUMNS: TableColumns = {
  definitions: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "Name, unique within its namespace where the resource has one.",
      priority: 0,
    },
    { name: "Created At", type: "date", format: "", description: "When the server created the object.", priority: 0 },
  ],
  cells: (object) => [object.metadata?.name ?? "", object.metadata?.creationTimestamp ?? null],
};

const DEFAULT_SCALE: ScaleMapping = {
  replicas: (object) => numberAt(object["spec"], "replicas"),
  statusReplicas: (object) => numberAt(object["status"], "replicas"),
  selector(object) {
    const spec = object["spec"];
    return isJsonObject(spec) ? selectorText(spec["selector"]) : "";
  },
  setReplicas(draft: KubeObject, replicas: number) {
    draft["spec"] = { ...(isJsonObject(draft["spec"]) ? draft["spec"] : {}), replicas } satisfies FieldsOf<ScaleSpec>;
  },
};

function numberAt(part: unknown, field: string): number {
  const value = isJsonObject(part) ? part[field] : undefined;
  return typeof value === "number" ? value : 0;
}

/** Formats spec.selector of a scalable kind: a LabelSelector, or the plain map of a ReplicationController. */
function selectorText(selector: unknown): string {
  if (!isJsonObject(selector)) return "";
  const plain = Object.values(selector).every((value) => typeof value === "string");
  if (plain) return selectorFromSet(selector as Record<string, string>).toString();
  return selectorFromObject(selector).toString();
}
