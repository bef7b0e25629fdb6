import { historyKind, readHistory, type Revision } from "../../kinds/rollout/history.js";
import { typedReader } from "../cluster-reader.js";
import { type ActionClient, resolveTarget, type Target } from "../target.js";
import { loadTypedKinds } from "../typed/typed-object.js";

export interface RolloutHistoryOptions {
  readonly client: ActionClient;
  /** A Deployment, DaemonSet or StatefulSet. */
  readonly object: Target;
  /** Called with a ReplicaSet whose revision cannot be read, and why. It is left out. */
  readonly onUnreadable?: ((replicaSet: string, reason: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The states that an object was rolled out with, the oldest first, each number once. Throws for a kind that has no
 * history, and the server's errors.
 */
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
