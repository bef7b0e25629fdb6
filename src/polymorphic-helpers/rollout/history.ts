import type { BuiltInKinds } from "../../api/kinds/built-in-kinds.js";
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../api/types/apps/v1.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { child, type Fields, number, object } from "../../machinery/meta/access.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { ObjectMeta, ApiObject, KubeObject } from "../../machinery/meta/object.js";
import * as received from "../../machinery/meta/received.js";
import type { FieldsOf, ReceivedObject } from "../../machinery/meta/received.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";
import { fromSchema } from "../../machinery/patch/strategic-schema.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { DescribeReader } from "../describe/index.js";
import { CHANGE_CAUSE } from "../change-cause.js";
import { revisionOf } from "./revision.js";

// Pod templates stay untyped: patches are made of them, with fields that this version does not know.

/** One revision of an object, to which it can be rolled back. */
export interface Revision {
  readonly number: bigint;
  /** "" where the annotation is missing. */
  readonly changeCause: string;
  /** What keeps it: a ReplicaSet or a ControllerRevision. */
  readonly record: KubeObject;
  /** The object it stands for: the ReplicaSet, or the DaemonSet or StatefulSet as it was. */
  readonly object: () => KubeObject;
  /** Its pod template as it is shown: that of a ReplicaSet has the change-cause in its annotations. */
  readonly shownTemplate: () => Fields;
}

export interface History {
  /** The object itself, read anew. */
  readonly owner: KubeObject;
  /** As kubectl walks them; of two with one number the later one counts where a number is looked up. */
  readonly revisions: readonly Revision[];
}

export interface HistoryContext {
  readonly reader: Pick<DescribeReader, "get" | "list">;
  /** Told of a ReplicaSet whose number cannot be read, and why; it is passed over. */
  readonly unreadable: (replicaSet: string, reason: string) => void;
}

export type ReadHistory = (namespace: string, name: string, context: HistoryContext) => Promise<History>;

const HASH_LABEL = "pod-template-hash";

/**
 * The kind of an object with a rollout history: "Deployment", "DaemonSet" or "StatefulSet". Throws for other kinds; `viewer` is
 * the name in that error.
 */
export function historyKind(kind: GroupKind, viewer: "history" | "rollbacker"): RolledOutKind {
  const { group, kind: name } = kind;
  const apps = group === "apps" || group === "extensions";
  if (apps && (name === "Deployment" || name === "DaemonSet")) return name;
  if (group === "apps" && name === "StatefulSet") return name;
  const full = `"${group === "" ? name : `${name}.${group}`}"`;
  const known =
    (group === "batch" && (name === "Job" || name === "CronJob")) ||
    (group === "" && (name === "Pod" || name === "ReplicationController")) ||
    (apps && name === "ReplicaSet");
  if (!known)
    throw new Error(`error retrieving ${viewer} for ${full}, no visitor method exists for {${group} ${name}}`);
  throw new Error(`no ${viewer === "history" ? "history viewer" : viewer} has been implemented for ${full}`);
}

export type RolledOutKind = "Deployment" | "DaemonSet" | "StatefulSet";

export const readHistory = (kind: RolledOutKind): ReadHistory =>
  kind === "Deployment" ? deploymentHistory : (namespace, name, context) => setHistory(kind, namespace, name, context);

async function deploymentHistory(namespace: string, name: string, context: HistoryContext): Promise<History> {
  const owner = await context.reader.get("apps/v1/Deployment", namespace, name).catch((error: Error) => {
    throw new Error(`failed to retrieve deployment ${name}: ${error.message}`, { cause: error });
  });
  return deploymentRevisions(owner, context);
}

/** Collects the revisions of a Deployment that has been read. */
export async function deploymentRevisions(
  owner: ReceivedObject<Deployment>,
  { reader, unreadable }: HistoryContext,
): Promise<History> {
  const { name = "", namespace = "" } = owner.metadata ?? {};
  const listed = await ownedBy(owner, reader, "apps/v1/ReplicaSet").catch((error: Error) => {
    throw new Error(`failed to retrieve replica sets from deployment ${name}: ${error.message}`, { cause: error });
  });
  const sets = listed.toSorted(byCreation);
  const newest = sets.find((set) => equalTemplates(templateOf(set), templateOf(owner)));
  const ordered = newest === undefined ? sets : [...sets.filter((set) => set !== newest), newest];
  const revisions = ordered.flatMap((set): readonly Revision[] => {
    try {
      return [replicaSetRevision(set)];
    } catch (error) {
      const reason = (error as Error).message;
      const { name: setName = "" } = set.metadata ?? {};
      unreadable(
        setName,
        `unable to get revision from replicaset ${setName} for deployment ${name} in namespace ${namespace}: ${reason}`,
      );
      return [];
    }
  });
  return { owner, revisions };
}

function replicaSetRevision(listed: ReceivedObject<ReplicaSet>): Revision {
  // What stands in a list does not say what it is.
  const set = { kind: "ReplicaSet", apiVersion: "apps/v1", ...listed } satisfies FieldsOf<ApiObject>;
  const changeCause = changeCauseOf(set);
  return {
    number: revisionOf(set),
    changeCause,
    record: set,
    object: () => set,
    shownTemplate: () => withChangeCause(templateOf(set), changeCause),
  };
}

async function setHistory(
  kind: "DaemonSet" | "StatefulSet",
  namespace: string,
  name: string,
  { reader }: HistoryContext,
): Promise<History> {
  const owner: KubeObject = await reader.get(`apps/v1/${kind}`, namespace, name).catch((error: Error) => {
    throw new Error(`failed to retrieve ${kind} ${name}: ${error.message}`, { cause: error });
  });
  const records = await ownedBy(owner, reader, "apps/v1/ControllerRevision").catch((error: Error) => {
    throw new Error(`unable to find history controlled by ${kind} ${name}: ${error.message}`, { cause: error });
  });
  const { schemaFor } = await import("../../api/facts/index.js");
  const schema = schemaFor({ group: "apps", version: "v1", kind });
  const patchSchema = schema && fromSchema(schema);
  const revisions = records.map((record): Revision => {
    const patch = object(record.data) as JsonObject;
    const made = (): KubeObject => strategicMergePatch(owner as JsonObject, patch, patchSchema);
    return {
      number: BigInt(number(record.revision)),
      changeCause: changeCauseOf(record),
      record,
      object: made,
      shownTemplate: () => templateOf(made()),
    };
  });
  return { owner, revisions };
}

/** Lists the objects that the owner selects, and returns those that it controls. */
export async function ownedBy<Kind extends keyof BuiltInKinds>(
  owner: ReceivedObject<Deployment | DaemonSet | StatefulSet>,
  reader: HistoryContext["reader"],
  kind: Kind,
): Promise<readonly ReceivedObject<BuiltInKinds[Kind]>[]> {
  const { namespace = "", uid } = owner.metadata ?? {};
  const selector = selectorFromObject(received.object(owner.spec).selector).toString();
  const listed = await reader.list(kind, namespace, { labelSelector: selector });
  return listed.filter(
    ({ metadata }) =>
      received.objects(metadata?.ownerReferences).find(({ controller }) => controller === true)?.uid === uid,
  );
}

/** Compares objects by age, the oldest first, then by name. */
export function byCreation({ metadata: a = {} }: KubeObject, { metadata: b = {} }: KubeObject): number {
  const older = Date.parse(a.creationTimestamp ?? "") - Date.parse(b.creationTimestamp ?? "");
  if (older !== 0 && !Number.isNaN(older)) return older;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

const changeCauseOf = ({ metadata }: KubeObject): string => metadata?.annotations?.[CHANGE_CAUSE] ?? "";

/** The pod template at spec.template. */
export const templateOf = ({ spec }: KubeObject): Fields => child(object(spec), "template") ?? {};

const metadataOf = ({ metadata }: FieldsOf<ApiObject>): FieldsOf<ObjectMeta> => object(metadata);

function withChangeCause(template: Fields, changeCause: string): Fields {
  if (changeCause === "") return template;
  const metadata = metadataOf(template);
  const annotations = { ...object(metadata.annotations), [CHANGE_CAUSE]: changeCause };
  return {
    ...template,
    metadata: { ...metadata, annotations } satisfies FieldsOf<ObjectMeta>,
  } satisfies FieldsOf<ApiObject>;
}

/** Returns the template without the label that distinguishes the ReplicaSets of one Deployment. */
export function withoutHash(template: Fields): Fields {
  const metadata = metadataOf(template);
  const { [HASH_LABEL]: _hash, ...labels } = object(metadata.labels);
  const { labels: _all, ...rest } = metadata;
  const entries = Object.entries(metadata).map(([key, value]) => [key, key === "labels" ? labels : value] as const);
  const made = Object.keys(labels).length === 0 ? rest : Object.fromEntries(entries);
  return { ...template, metadata: made } satisfies FieldsOf<ApiObject>;
}

/** Whether two pod templates describe the same pods. */
export const equalTemplates = (a: Fields, b: Fields): boolean => deepEqual(withoutHash(a), withoutHash(b));
