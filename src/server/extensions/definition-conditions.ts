import { apiApprovalOf, nonStructuralSteps } from "../../api/validation/apiextensions/index.js";
import { goQuote } from "../../base/text/go-quote.js";
import { list, object, text } from "../../machinery/meta/access.js";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from "../../api/types/apiextensions/v1.js";
import * as received from "../../machinery/meta/received.js";
import type { FieldsOf, Received, ReceivedObject } from "../../machinery/meta/received.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { inSlices } from "../../base/async/time-slice.js";
import type { KnownDefinition } from "./known-definition.js";

/** A condition of a CustomResourceDefinition, without its time. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The names of a definition, as spec.names and status.acceptedNames have them. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

export const FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export function conditionOf(
  definition: Definition,
  type: string,
): Received<CustomResourceDefinitionCondition> | undefined {
  return received.objects(definition.status?.conditions).find((one) => one.type === type);
}

type Definition = ReceivedObject<CustomResourceDefinition>;

export const isTrue = (definition: Definition, type: string): boolean =>
  conditionOf(definition, type)?.status === "True";

export interface StatusChange {
  readonly conditions: readonly DefinitionCondition[];
  /** The types of conditions that are taken away. */
  readonly removed?: readonly string[];
  readonly acceptedNames?: JsonObject;
}

/** A condition of a status, with the time that it has there. */
type WrittenCondition = { readonly [Field in keyof CustomResourceDefinitionCondition]?: JsonValue };

type DefinitionStatus = { readonly [Field in keyof CustomResourceDefinitionStatus]?: JsonValue };

/** The status with these changes; the time of a condition changes with its status. */
export function withConditions(
  definition: KubeObject,
  { conditions, removed = [], acceptedNames }: StatusChange,
  now: number,
): JsonObject {
  const { status: given }: FieldsOf<CustomResourceDefinition> = definition;
  const status: DefinitionStatus = object(given) as JsonObject;
  const next = (list(status.conditions) as readonly WrittenCondition[]).filter(
    ({ type }) => !removed.includes(text(type)),
  );
  for (const condition of conditions) {
    const index = next.findIndex(({ type }) => type === condition.type);
    const known = next[index];
    const isSame = known?.status === condition.status;
    const lastTransitionTime = isSame
      ? (known.lastTransitionTime as JsonValue)
      : new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
    const written: WrittenCondition = {
      ...condition,
      lastTransitionTime,
    };
    if (index < 0) next.push(written);
    else next[index] = written;
  }
  return {
    ...status,
    conditions: next,
    ...(acceptedNames && ({ acceptedNames } satisfies FieldsOf<CustomResourceDefinitionStatus>)),
  } satisfies FieldsOf<CustomResourceDefinitionStatus>;
}

/**
 * The names of a definition that were accepted, because no other definition of its group has them, and the condition about them.
 * Source: apiextensions' naming controller.
 */
export interface NamesVerdict {
  readonly acceptedNames: JsonObject;
  readonly condition: DefinitionCondition;
}

/** Judges the names of a definition. `others` are the accepted names of the other definitions of the group. */
export function judgeNames(definition: KubeObject, others: readonly DefinitionNames[]): NamesVerdict {
  const { spec, status }: FieldsOf<CustomResourceDefinition> = definition;
  const { names: given }: FieldsOf<CustomResourceDefinitionSpec> = object(spec);
  const { acceptedNames }: FieldsOf<CustomResourceDefinitionStatus> = object(status);
  const requested: FieldsOf<CustomResourceDefinitionNames> = object(given);
  const accepted: FieldsOf<CustomResourceDefinitionNames> = object(acceptedNames);
  const { resources, kinds } = namesTaken(others);
  const names: Record<string, JsonValue> = { ...(accepted as JsonObject) };
  let fault: { readonly reason: string; readonly message: string } | undefined;
  const check = (
    field: "kind" | "listKind" | "plural" | "singular",
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = text(requested[field]);
    if (name !== text(accepted[field]) && used.has(name))
      fault = { reason, message: `${goQuote(name)} is already in use` };
    else if (name !== "") names[field] = name;
  };
  check("plural", resources, "PluralConflict");
  check("singular", resources, "SingularConflict");
  const known = new Set(list(accepted.shortNames).map(text));
  const shortNames = list(requested.shortNames).map(text);
  const taken = shortNames.filter((name) => !known.has(name) && resources.has(name));
  if (taken.length > 0) {
    const messages = taken.map((name) => `${goQuote(name)} is already in use`);
    fault = {
      reason: "ShortNamesConflict",
      message: messages.length === 1 ? messages.join() : `[${messages.join(", ")}]`,
    };
  } else setOrDrop(names, "shortNames", shortNames);
  check("kind", kinds, "KindConflict");
  check("listKind", kinds, "ListKindConflict");
  setOrDrop(names, "categories", list(requested.categories).map(text));
  const type = "NamesAccepted";
  return {
    acceptedNames: names,
    condition:
      fault === undefined
        ? { type, status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type, status: "False", ...fault },
  };
}

function setOrDrop(names: Record<string, JsonValue>, field: string, value: readonly string[]): void {
  if (value.length === 0) delete names[field];
  else names[field] = [...value];
}

function namesTaken(others: readonly DefinitionNames[]) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular, shortNames, kind, listKind } of others) {
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  resources.delete("");
  kinds.delete("");
  return { resources, kinds };
}

const APPROVAL_REASONS = {
  Approved: { status: "True", reason: "ApprovedAnnotation" },
  Bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  Missing: { status: "False", reason: "MissingAnnotation" },
  Invalid: { status: "False", reason: "InvalidAnnotation" },
} as const;

/** Computes the approval condition of a definition in one of Kubernetes' own groups. Source: apiextensions' apiapproval controller. */
export function approval(definition: KubeObject): readonly DefinitionCondition[] {
  const given = apiApprovalOf(definition);
  if (given === undefined) return [];
  const { state, message } = given;
  return [{ type: "KubernetesAPIApprovalPolicyConformant", ...APPROVAL_REASONS[state], message }];
}

/** Computes the condition Established after the names were checked. */
export function established(definition: KubeObject, namesAccepted: boolean): DefinitionCondition {
  const type = "Established";
  const held = conditionOf(definition, type);
  if (held?.status === "True") {
    return { type, status: "True", reason: text(held.reason), message: text(held.message) };
  }
  return namesAccepted
    ? { type, status: "False", reason: "Installing", message: "the initial names have been accepted" }
    : { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}

export const ESTABLISHED: DefinitionCondition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

const NON_STRUCTURAL = "NonStructuralSchema";

/**
 * The condition of a definition whose schemas prune nothing or need not say what every value is; it goes when they do. Source:
 * apiextensions' nonstructuralschema controller.
 */
export async function nonStructural(known: KnownDefinition): Promise<Required<Omit<StatusChange, "acceptedNames">>> {
  // Where unknown fields are pruned, validation has seen to it that schemas are structural.
  const problem = known.preservesUnknownFields ? await inSlices(nonStructuralSteps(known.read())) : undefined;
  if (problem === undefined) return { conditions: [], removed: [NON_STRUCTURAL] };
  const status = problem.reason === "Violations" ? "True" : "Unknown";
  return { conditions: [{ type: NON_STRUCTURAL, status, ...problem }], removed: [] };
}
