import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectReference, Binding } from "../../api/types/core/v1.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import { pause } from "../../base/time/pause.js";
import { isConflict, isStatusError } from "../../machinery/errors/status-error.js";
import type { PodInfo } from "../cache/pod-info.js";
import type { SchedulerHandle, SchedulerPlugin } from "../framework/plugin.js";
import { PLUGIN } from "./names.js";

/** The answers after which a binding is tried again: the server is busy or not there. */
const PASSING = [429, 500, 502, 503, 504];
/** The pauses before each further try, in milliseconds. */
const PAUSES = [100, 200, 400];

/** Binds pods by the binding subresource. */
export function defaultBinder(handle: SchedulerHandle): SchedulerPlugin {
  // K37-161: before 1.37 a pod whose binding fails goes back to the queue at once.
  const pauses = handle.release?.atLeast("1.37") ? PAUSES : [];
  return {
    name: PLUGIN.defaultBinder,
    events: [],
    async bind(_state, info, node) {
      for (const [tries, milliseconds] of [...pauses, 0].entries()) {
        try {
          await postBinding(handle, info, node);
          return undefined;
        } catch (error) {
          // The answer of an earlier try may have been lost.
          if (tries > 0 && isConflict(error) && (await isBoundTo(handle, info, node))) return undefined;
          if (tries === pauses.length || handle.signal.aborted || !isPassing(error)) throw error;
        }
        await pause(handle.timers, milliseconds, handle.signal);
      }
      return undefined;
    },
  };
}

async function postBinding({ client, signal }: SchedulerHandle, pod: PodInfo, node: string): Promise<void> {
  const { namespace, name, uid } = pod;
  const metadata = { name, namespace, uid } satisfies FieldsOf<ObjectMeta>;
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata,
    target: { kind: "Node", name: node } satisfies FieldsOf<ObjectReference>,
  } satisfies FieldsOf<Binding>;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
  await client.rest.request({ method: "POST", path, body: Buffer.from(JSON.stringify(binding)), signal });
}

/** A connection that broke, or an answer that another try may not get. */
const isPassing = (error: unknown): boolean => !isStatusError(error) || PASSING.includes(error.code);

async function isBoundTo({ client, signal }: SchedulerHandle, pod: PodInfo, node: string): Promise<boolean> {
  const { metadata, spec } = await client.of("v1", "Pod").namespace(pod.namespace).get(pod.name, { signal });
  return metadata?.uid === pod.uid && spec?.nodeName === node;
}
