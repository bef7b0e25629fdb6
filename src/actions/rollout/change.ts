import { goQuote } from "../../base/text/go-quote.js";
import { type Change, pause, restart, resume } from "../../polymorphic-helpers/rollout/change.js";
import { formatGroupResource } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import { calculatePatch } from "../apply/three-way-patch.js";
import { actionSurroundings, type ActionSurroundings } from "../surroundings.js";
import { type ActionClient, resolveTarget, type Target } from "../target.js";

export interface RolloutChangeOptions extends Pick<ActionSurroundings, "clock"> {
  readonly client: ActionClient;
  readonly object: Target;
  /** Default: none, and the server names the client. */
  readonly fieldManager?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RolloutChange {
  /** False: nothing had to be sent. A restart within a second of another changes nothing. */
  readonly changed: boolean;
  /** The object as the server answered it; where nothing changed, as it was read. */
  readonly object: KubeObject;
}

/** The object cannot be changed in that way: its kind, or the state that it is in, does not allow it. */
export class RolloutRefusedError extends Error {
  override readonly name = "RolloutRefusedError";
}

/**
 * Restarts the pods of a Deployment, DaemonSet or StatefulSet, by its update strategy. Throws a RolloutRefusedError for another
 * kind and a paused Deployment, and the server's errors.
 */
export const rolloutRestart = (options: RolloutChangeOptions): Promise<RolloutChange> =>
  changeRollout(restart, options);

/** Pauses the rollout of a Deployment. Throws a RolloutRefusedError for another kind and where it is paused already, and the server's errors. */
export const rolloutPause = (options: RolloutChangeOptions): Promise<RolloutChange> => changeRollout(pause, options);

/**
 * Resumes the rollout of a paused Deployment. Throws a RolloutRefusedError for another kind and for one that is not paused, and
 * the server's errors.
 */
export const rolloutResume = (options: RolloutChangeOptions): Promise<RolloutChange> => changeRollout(resume, options);

async function changeRollout(change: Change, options: RolloutChangeOptions): Promise<RolloutChange> {
  const { client, fieldManager, signal } = options;
  const target = await resolveTarget(options.object, client);
  const { mapping, namespace, name } = target;
  const helper = new Helper(client.rest, mapping, { fieldManager, signal });
  const object = target.object ?? (await helper.get(namespace, name));
  const now = new Date(actionSurroundings(options).clock.now());
  let wanted: KubeObject;
  try {
    wanted = change(mapping.kind, object, now);
  } catch (error) {
    const resource = formatGroupResource(mapping.resource);
    throw new RolloutRefusedError(`${resource} ${goQuote(name)} ${(error as Error).message}`, { cause: error });
  }
  const { text } = await calculatePatch(mapping.kind, object, wanted);
  if (text === "{}") return { changed: false, object };
  const patch = new TextEncoder().encode(text);
  return { changed: true, object: await helper.patch(namespace, name, "strategic", patch) };
}
