import { object, type ReadonlyFields, text, isFields, list, objects } from "../meta/access.js";
import type { KubeObject } from "../meta/object.js";
import { type PolicyRule, readRules } from "./policy-rule.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { uncovered } from "./covers.js";

/** The operation that brings a role or a binding to its wanted state. */
export type ReconcileOperation = "create" | "update" | "recreate" | "none";

/** The subject of a binding, with every field present. */
export interface Subject {
  readonly kind: string;
  readonly apiGroup: string;
  readonly name: string;
  readonly namespace: string;
}

/** The comparison of a wanted object with the live one. */
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
const reconciliation = (
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

const isProtected = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[AUTO_UPDATE] === "false";

/**
 * The live object with the labels and annotations that are wanted besides its own, whose values stay; undefined when it
 * has them all. A map that is wanted empty is more than none.
 */
function withWantedMetadata(live: KubeObject, wanted: KubeObject): KubeObject | undefined {
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
function roleRefKey({ roleRef }: KubeObject): string {
  const { apiGroup, kind, name } = object(roleRef);
  return JSON.stringify([text(apiGroup), text(kind), text(name)]);
}

/**
 * Computes the change after which the role grants all that `wanted` does and has its labels and annotations; with `removeExtra` it grants
 * nothing else. Where both roles are aggregated, the server's further rules do not count.
 */
export function reconcileRole(live: KubeObject | undefined, wanted: KubeObject, removeExtra: boolean): Reconciliation {
  const wantedRules = readRules(wanted["rules"]);
  if (live === undefined) return reconciliation("create", wanted, { missingRules: wantedRules });
  const liveRules = readRules(live["rules"]);
  const missingRules = uncovered(liveRules, wantedRules);
  const areGathered = isFields(live["aggregationRule"]) && isFields(wanted["aggregationRule"]);
  const extraRules = areGathered ? [] : uncovered(wantedRules, liveRules);
  const labelled = withWantedMetadata(live, wanted);
  const rules = changedRules();
  const gathering = changedGathering(live["aggregationRule"], wanted["aggregationRule"], removeExtra);
  const changed = [labelled, rules, gathering].some((change) => change !== undefined);
  const role = { ...(labelled ?? live), ...(rules && { rules }), ...gathering };
  const differences = { isProtected: isProtected(live), missingRules, extraRules };
  return reconciliation(changed ? "update" : "none", role, differences);

  function changedRules(): readonly unknown[] | undefined {
    if (removeExtra) return missingRules.length + extraRules.length > 0 ? list(wanted["rules"]) : undefined;
    return missingRules.length > 0 ? [...list(live?.["rules"]), ...missingRules.map(asHeld)] : undefined;
  }
}

/** As an object holds it: without lists that are empty. */
const asHeld = (rule: PolicyRule): object =>
  Object.fromEntries(Object.entries(rule).filter(([, values]) => (values as readonly string[]).length > 0));

/** What becomes of the rule that gathers others' rules; undefined when it stays. */
function changedGathering(
  live: unknown,
  wanted: unknown,
  removeExtra: boolean,
): { readonly aggregationRule: unknown } | undefined {
  if (!isFields(wanted)) return isFields(live) ? { aggregationRule: undefined } : undefined;
  const missing = selectorsNotAmong(selectorsOf(wanted), selectorsOf(live));
  const extra = selectorsNotAmong(selectorsOf(live), selectorsOf(wanted));
  if (removeExtra) return missing.length + extra.length > 0 ? { aggregationRule: wanted } : undefined;
  if (missing.length === 0) return undefined;
  return { aggregationRule: { ...object(live), clusterRoleSelectors: [...selectorsOf(live), ...missing] } };
}

const selectorsOf = (rule: unknown): readonly ReadonlyFields[] => objects(object(rule)["clusterRoleSelectors"]);

function selectorsNotAmong(
  selectors: readonly ReadonlyFields[],
  others: readonly ReadonlyFields[],
): readonly ReadonlyFields[] {
  const known = new Set(others.map(selectorKey));
  return selectors.filter((selector) => !known.has(selectorKey(selector)));
}

/** Equal for equal selectors; an empty map or list is as good as none. */
function selectorKey({ matchLabels, matchExpressions }: ReadonlyFields): string {
  const labels = Object.entries(object(matchLabels)).sort(([a], [b]) => compareKeys(a, b));
  const expressions = objects(matchExpressions).map(({ key, operator, values }) => [key, operator, list(values)]);
  return JSON.stringify([labels, expressions]);
}

const subjectsOf = ({ subjects }: KubeObject): readonly Subject[] => objects(subjects).map(readSubject);

/**
 * Computes the change after which the binding has the subjects, labels and annotations of `wanted`; with `removeExtra` it has no
 * other subjects. Because the role of a binding cannot change, a binding with another role is recreated.
 */
export function reconcileBinding(
  live: KubeObject | undefined,
  wanted: KubeObject,
  removeExtra: boolean,
): Reconciliation {
  if (live === undefined) return reconciliation("create", wanted, { missingSubjects: subjectsOf(wanted) });
  const kept = { isProtected: isProtected(live) };
  if (roleRefKey(live) !== roleRefKey(wanted)) return reconciliation("recreate", wanted, kept);
  const missingSubjects = subjectsNotAmong(subjectsOf(wanted), subjectsOf(live));
  const extraSubjects = subjectsNotAmong(subjectsOf(live), subjectsOf(wanted));
  const labelled = withWantedMetadata(live, wanted);
  const subjects = changedSubjects();
  const changed = labelled !== undefined || subjects !== undefined;
  const object = { ...(labelled ?? live), ...(subjects && { subjects }) };
  return reconciliation(changed ? "update" : "none", object, { ...kept, missingSubjects, extraSubjects });

  function changedSubjects(): readonly unknown[] | undefined {
    if (removeExtra) return missingSubjects.length + extraSubjects.length > 0 ? list(wanted["subjects"]) : undefined;
    return missingSubjects.length > 0 ? [...list(live?.["subjects"]), ...missingSubjects] : undefined;
  }
}

/** Each once. */
function subjectsNotAmong(subjects: readonly Subject[], others: readonly Subject[]): readonly Subject[] {
  const key = (subject: Subject): string => JSON.stringify(subject);
  const known = new Set(others.map(key));
  return subjects.filter((subject) => {
    if (known.has(key(subject))) return false;
    known.add(key(subject));
    return true;
  });
}
