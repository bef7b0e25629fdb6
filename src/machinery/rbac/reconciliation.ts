import { object, type ReadonlyFields, text } from "../meta/access.js";
import type { KubeObject } from "../meta/object.js";
import type { PolicyRule } from "./policy-rule.js";

/** What it takes to make a role or a binding what it is wanted to be. */
export type ReconcileOperation = "create" | "update" | "recreate" | "none";

/** To whom a binding grants its role, every field there. */
export interface Subject {
  readonly kind: string;
  readonly apiGroup: string;
  readonly name: string;
  readonly namespace: string;
}

/** What is wanted held against what is there. */
export interface Reconciliation {
  readonly operation: ReconcileOperation;
  /** As it is to be. */
  readonly object: KubeObject;
  /** The live object says that it is to be left alone. */
  readonly isProtected: boolean;
  readonly missingRules: readonly PolicyRule[];
  readonly extraRules: readonly PolicyRule[];
  readonly missingSubjects: readonly Subject[];
  readonly extraSubjects: readonly Subject[];
}

/** One with nothing missing and nothing in excess. */
export const reconciliation = (
  operation: ReconcileOperation,
  object: KubeObject,
  differences: Partial<Omit<Reconciliation, "operation" | "object">> = {},
): Reconciliation => ({
  operation,
  object,
  isProtected: false,
  missingRules: [],
  extraRules: [],
  missingSubjects: [],
  extraSubjects: [],
  ...differences,
});

const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";

export const isProtected = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[AUTO_UPDATE] === "false";

/**
 * The live object with the labels and annotations that are wanted besides its own, whose values stay; undefined when it
 * has them all. A map that is wanted empty is more than none.
 */
export function withWantedMetadata(live: KubeObject, wanted: KubeObject): KubeObject | undefined {
  const labels = added(live.metadata?.labels, wanted.metadata?.labels);
  const annotations = added(live.metadata?.annotations, wanted.metadata?.annotations);
  if (labels === undefined && annotations === undefined) return undefined;
  const metadata = { ...live.metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { ...live, metadata };
}

type Texts = Record<string, string>;

function added(live: Texts | undefined, wanted: Texts | undefined): Texts | undefined {
  if (wanted === undefined) return undefined;
  const hasAll = live !== undefined && Object.keys(wanted).every((key) => Object.hasOwn(live, key));
  return hasAll ? undefined : { ...wanted, ...live };
}

export function readSubject(subject: ReadonlyFields): Subject {
  return {
    kind: text(subject["kind"]),
    apiGroup: text(subject["apiGroup"]),
    name: text(subject["name"]),
    namespace: text(subject["namespace"]),
  };
}

/** Equal for equal references to a role. */
export function roleRefKey({ roleRef }: KubeObject): string {
  const { apiGroup, kind, name } = object(roleRef);
  return JSON.stringify([text(apiGroup), text(kind), text(name)]);
}
