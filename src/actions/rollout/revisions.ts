import { historyKind, readHistory, type Revision } from "../../polymorphic-helpers/rollout/history.js";
import { typedReader } from "../cluster-reader.js";
import { type ActionClient, resolveTarget, type Target } from "../target.js";
import { loadTypedKinds } from "../typed/typed-object.js";
import { planRollback } from "../../polymorphic-helpers/rollout/rollback.js";
import type { Fields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import type { DryRun } from "../apply/apply-object.js";

export interface RolloutHistoryOptions {
  readonly client: ActionClient;
  /** A Deployment, DaemonSet or StatefulSet. */
  readonly object: Target;
  /** Called with a ReplicaSet whose revision cannot be read, and why. It is left out. */
  readonly onUnreadable?: ((replicaSet: string, reason: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lists the revisions of an object, the oldest first, each number once. Throws for a kind without history, and the server's errors. */
export async function rolloutHistory(options: RolloutHistoryOptions): Promise<readonly Revision[]> {
  const { client, onUnreadable: unreadable = () => undefined, signal } = options;
  const { mapping, namespace, name } = await resolveTarget(options.object, client);
  const kind = historyKind(mapping.kind, "history");
  const reader = typedReader(client.rest, await loadTypedKinds(), signal);
  const { revisions } = await readHistory(kind)(namespace, name, { reader, unreadable });
  // Of two with one number the later one counts.
  const byNumber = new Map(revisions.map((revision) => [revision.number, revision]));
  return [...byNumber.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
}

export interface RolloutUndoOptions extends RolloutHistoryOptions {
  /** Default 0: the one before the present. */
  readonly toRevision?: number | bigint | undefined;
  /** "client" sends no write, and does not ask whether the object lets itself be rolled back. Default "none". */
  readonly dryRun?: DryRun | undefined;
}

export type RolloutUndo = {
  /** The pod template of the revision. */
  readonly template: () => Fields;
} & (
  | { readonly type: "rolledBack"; readonly object: KubeObject }
  /** The object has that template already. */
  | { readonly type: "unchanged" }
  /** A dry run of the client. */
  | { readonly type: "planned" }
);

/**
 * Rolls an object back to an earlier revision. Throws for an unknown revision, for a paused Deployment and a kind without history,
 * and for the server's errors, which are the cause.
 */
export async function rolloutUndo(options: RolloutUndoOptions): Promise<RolloutUndo> {
  const { client, dryRun = "none", onUnreadable: unreadable = () => undefined, signal } = options;
  const toRevision = BigInt(options.toRevision ?? 0);
  const { mapping, namespace, name } = await resolveTarget(options.object, client);
  const kind = historyKind(mapping.kind, "rollbacker");
  const reader = typedReader(client.rest, await loadTypedKinds(), signal);
  const plan = await planRollback(kind, { namespace, name }, toRevision, { reader, unreadable });
  const { patch, template } = plan;
  if (dryRun === "client") return { type: "planned", template };
  plan.requireWilling();
  if (patch === undefined) return { type: "unchanged", template };
  const resource = { group: "apps", version: "v1", resource: `${kind.toLowerCase()}s` };
  const helper = new Helper(client.rest, { ...mapping, resource }, { dryRun: dryRun === "server", signal });
  const sent = helper.patch(namespace, name, patch.type, new TextEncoder().encode(patch.body));
  const object = await sent.catch((error: Error) => {
    throw new Error(`failed restoring revision ${toRevision}: ${error.message}`, { cause: error });
  });
  return { type: "rolledBack", object, template };
}
