import type { Namespace, NamespaceCondition as ApiCondition } from "../../api/types/core/v1.js";
import {
  type FieldsOf,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";

/** The result of one attempt to delete the content of a namespace. */
export interface DeletionReport {
  /** Why discovery failed. */
  readonly discovery?: string | undefined;
  /** Why content could not be deleted, one for each resource that failed. */
  readonly failures: readonly string[];
  /** How many objects are left, by "pods." or "deployments.apps". */
  readonly remaining: ReadonlyMap<string, number>;
  /** How many of them each finalizer keeps. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface NamespaceCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

type Verdict = Omit<NamespaceCondition, "lastTransitionTime">;

/** The conditions of a namespace after an attempt to empty it; undefined when nothing changes. `now` is RFC 3339. */
export function namespaceConditions(
  namespace: ReceivedObject<Namespace>,
  report: DeletionReport,
  now: string,
): readonly Received<ApiCondition>[] | undefined {
  const conditions: Received<ApiCondition>[] = [...objects(object(namespace.status).conditions)];
  let changed = false;
  for (const verdict of verdicts(report)) {
    const index = conditions.findIndex(({ type }) => type === verdict.type);
    const old = conditions[index];
    if (old?.status === verdict.status && old.reason === verdict.reason && old.message === verdict.message) continue;
    changed = true;
    const since = old?.status === verdict.status ? text(old.lastTransitionTime) : now;
    const { type, status: state, reason, message } = verdict;
    const next = {
      type,
      status: state,
      lastTransitionTime: since,
      reason,
      message,
    } satisfies FieldsOf<NamespaceCondition>;
    if (index < 0) conditions.push(next);
    else conditions[index] = next;
  }
  return changed ? conditions : undefined;
}

function verdicts({ discovery, failures, remaining, finalizers }: DeletionReport): readonly Verdict[] {
  const counted = (counts: ReadonlyMap<string, number>, words: string) =>
    [...counts]
      .map(([what, count]) => `${what} ${words} ${count} resource instances`)
      .toSorted()
      .join(", ");
  return [
    verdict("NamespaceDeletionDiscoveryFailure", discovery, {
      bad: "DiscoveryFailed",
      good: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    }),
    verdict("NamespaceDeletionGroupVersionParsingFailure", undefined, {
      bad: "GroupVersionParsingFailed",
      good: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    }),
    verdict("NamespaceDeletionContentFailure", failureText(failures), {
      bad: "ContentDeletionFailed",
      good: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    }),
    verdict(
      "NamespaceContentRemaining",
      remaining.size === 0 ? undefined : `Some resources are remaining: ${counted(remaining, "has")}`,
      { bad: "SomeResourcesRemain", good: "ContentRemoved", message: "All content successfully removed" },
    ),
    verdict(
      "NamespaceFinalizersRemaining",
      finalizers.size === 0
        ? undefined
        : `Some content in the namespace has finalizers remaining: ${counted(finalizers, "in")}`,
      { bad: "SomeFinalizersRemain", good: "ContentRemoved", message: "All content successfully removed" },
    ),
  ];
}

function failureText(failures: readonly string[]): string | undefined {
  if (failures.length === 0) return undefined;
  return `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`;
}

function verdict(
  type: string,
  problem: string | undefined,
  { bad, good, message }: { readonly bad: string; readonly good: string; readonly message: string },
): Verdict {
  if (problem === undefined) return { type, status: "False", reason: good, message };
  return { type, status: "True", reason: bad, message: problem };
}
