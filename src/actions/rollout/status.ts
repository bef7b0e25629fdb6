import { type RolloutStatus, statusViewerFor } from "../../polymorphic-helpers/rollout/status.js";
import { notFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import { followObject } from "../follow/follow-object.js";
import { actionSurroundings, type ActionSurroundings } from "../surroundings.js";
import { type ActionClient, resolveTarget, type Target } from "../target.js";
import { startTimeLimit, TimedOutError } from "../time-limit.js";

export interface RolloutStatusOptions extends ActionSurroundings {
  readonly client: ActionClient;
  /** A Deployment, DaemonSet or StatefulSet. */
  readonly object: Target;
  /** Of a Deployment: the revision that has to be the one rolled out. Default 0: whichever is. */
  readonly revision?: number | bigint | undefined;
  /** Goes on until the rollout is complete. False: yields one status. Default true. */
  readonly watch?: boolean | undefined;
  /** Milliseconds; 0 has no end. Default 0. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of a rollout, and the object that it was computed from. */
export type RolloutProgress = RolloutStatus & { readonly object: KubeObject };

/**
 * Yields the progress of a rollout, now and at each change of the object, and ends after step "complete". Throws where the rollout
 * failed (its progress deadline has passed, another revision came in between, the object was deleted), a StatusError where the
 * object does not exist, a TimedOutError, and the signal's reason when it aborts.
 */
export async function* rolloutStatus(options: RolloutStatusOptions): AsyncGenerator<RolloutProgress, void, undefined> {
  const { client, revision = 0, watch = true, timeout = 0, signal } = options;
  const { timers } = actionSurroundings(options);
  const { mapping, namespace, name } = await resolveTarget(options.object, client);
  const view = statusViewerFor(mapping.kind);
  signal?.throwIfAborted();
  const helper = new Helper(client.rest, mapping, { sentBy: "dynamic" });
  const limit = startTimeLimit(timers, timeout === 0 ? undefined : timeout, signal);
  try {
    for await (const { type, object } of followObject(helper, namespace, name, limit.deadline, { timers })) {
      if (type === "SYNCED") {
        if (object === undefined) throw notFound(mapping.resource, name);
        continue;
      }
      // Another object of the same name is another rollout.
      if (type === "DELETED") throw new Error("object has been deleted");
      const status = view(object, BigInt(revision));
      yield { ...status, object };
      if (status.step === "complete" || !watch) return;
    }
  } finally {
    limit.end();
  }
  signal?.throwIfAborted();
  throw new TimedOutError("timed out waiting for the condition");
}
