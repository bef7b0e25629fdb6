import type { FieldsOf } from "../../machinery/meta/received.js";
import type { DeploymentSpec, Deployment } from "../../api/types/apps/v1.js";
import { goQuote } from "../../base/text/go-quote.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { type Fields, object } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import {
  deploymentRevisions,
  equalTemplates,
  type History,
  type HistoryContext,
  readHistory,
  type Revision,
  type RolledOutKind,
  templateOf,
  withoutHash,
} from "./history.js";
import { REVISION } from "./revision.js";

/** A plan for rolling back: the template after it, and the patch. */
export interface RollbackPlan {
  /** The template that will be there. */
  readonly template: () => Fields;
  /** Undefined where that is the template already. */
  readonly patch: { readonly type: "json" | "strategic"; readonly body: string } | undefined;
  /** Throws where the object does not let itself be rolled back; nothing else is sent then. */
  readonly requireWilling: () => void;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** A Deployment keeps its own; the rest come from the ReplicaSet. */
const KEPT: ReadonlySet<string> = new Set([
  LAST_APPLIED,
  REVISION,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
]);

/** Plans a rollback. `toRevision` 0 means the one before the current revision. Throws when the revision does not exist. */
export async function planRollback(
  kind: RolledOutKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  toRevision: bigint,
  context: HistoryContext,
): Promise<RollbackPlan> {
  if (toRevision < 0n) throw notInHistory(toRevision);
  if (kind === "Deployment") return deploymentPlan(namespace, name, toRevision, context);
  const history = await readHistory(kind)(namespace, name, context);
  return setPlan(history, toRevision);
}

async function deploymentPlan(
  namespace: string,
  name: string,
  toRevision: bigint,
  context: HistoryContext,
): Promise<RollbackPlan> {
  const deployment = await context.reader.get("apps/v1/Deployment", namespace, name).catch((error: Error) => {
    throw new Error(`failed to retrieve Deployment ${name}: ${error.message}`, { cause: error });
  });
  // A number that cannot be read is no reason to speak here.
  const { revisions } = await deploymentRevisions(deployment, { ...context, unreadable: () => undefined });
  const { record } = toRevision > 0n ? numbered(revisions, toRevision) : previous(revisions, name);
  const template = templateOf(record);
  return {
    template: () => template,
    requireWilling: () => {
      const { paused }: FieldsOf<DeploymentSpec> = object(deployment.spec);
      if (paused !== true) return;
      throw new Error(
        "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
      );
    },
    patch: equalTemplates(template, templateOf(deployment))
      ? undefined
      : { type: "json", body: deploymentPatch(withoutHash(template), annotationsFor(deployment, record)) },
  };
}

function previous(revisions: readonly Revision[], name: string): Revision {
  let latest: Revision | undefined;
  let before: Revision | undefined;
  for (const revision of revisions) {
    if (revision.number > (latest?.number ?? -1n)) [before, latest] = [latest, revision];
    else if (revision.number > (before?.number ?? -1n)) before = revision;
  }
  if (before === undefined) throw new Error(`no rollout history found for deployment ${goQuote(name)}`);
  return before;
}

function annotationsFor({ metadata: own }: KubeObject, { metadata: old }: KubeObject): Record<string, string> {
  const kept = Object.entries(own?.annotations ?? {}).filter(([key]) => KEPT.has(key));
  const taken = Object.entries(old?.annotations ?? {}).filter(([key]) => !KEPT.has(key));
  return Object.fromEntries([...kept, ...taken].sort(([a], [b]) => compareKeys(a, b)));
}

const deploymentPatch = (template: Fields, annotations: Record<string, string>): string =>
  encodeJson([
    { op: "replace", path: "/spec/template", value: template },
    { op: "replace", path: "/metadata/annotations", value: annotations },
  ]);

function setPlan({ owner, revisions }: History, toRevision: bigint): RollbackPlan {
  if (toRevision === 0n && revisions.length <= 1) throw new Error("no last revision to roll back to");
  const revision = toRevision === 0n ? secondLatest(revisions) : numbered(revisions, toRevision);
  const body = encodeJson(revision.record.data ?? null, { sortKeys: true });
  const present = encodeJson(
    {
      spec: { template: { ...templateOf(owner), $patch: "replace" } } satisfies FieldsOf<DeploymentSpec>,
    } satisfies FieldsOf<Deployment>,
    { sortKeys: true },
  );
  return {
    template: () => templateOf(revision.object()),
    requireWilling: () => undefined,
    patch: body === present ? undefined : { type: "strategic", body },
  };
}

function secondLatest(revisions: readonly Revision[]): Revision {
  const sorted = revisions.toSorted((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0));
  const revision = sorted.at(-2);
  if (revision === undefined) throw notInHistory(0n);
  return revision;
}

function numbered(revisions: readonly Revision[], number: bigint): Revision {
  const revision = revisions.find((one) => one.number === number);
  if (revision === undefined) throw notInHistory(number);
  return revision;
}

const notInHistory = (revision: bigint): Error => new Error(`unable to find specified revision ${revision} in history`);
