import { errorMessage } from "../../base/text/error-message.js";
import { pause } from "../../base/time/pause.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { withTimeLimit } from "../../base/time/time-limit.js";
import { isAlreadyExists, isNotFound, isStatusError, type StatusError } from "../../machinery/errors/status-error.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { KubernetesClient } from "../dynamic/kubernetes-client.js";
import type { StrategicPatch } from "../dynamic/patches.js";
import { isTransportError } from "../transport/transport-error.js";
import type { Surroundings } from "../surroundings.js";

/** An event to write. */
export interface EventWrite {
  readonly resource: GroupVersionResource;
  readonly event: ApiObject;
  /** Changes the event of that name, which is created when there is none. Absent: it is created. */
  readonly patch?: JsonObject | undefined;
  /** Called with what the server stored. */
  readonly stored?: (event: ApiObject) => void;
}

export interface EventSinkOptions extends Pick<Surroundings, "random" | "timers"> {
  readonly client: Pick<KubernetesClient, "resource">;
  readonly onError: (error: unknown) => void;
  /** From its abort on, no try waits for another one. */
  readonly closing: AbortSignal;
  /** Ends the requests under way. */
  readonly abandoned: AbortSignal;
}

const MAX_TRIES = 12;
const SLEEP_MS = 10_000;
/** How long the server may take for one request. */
const REQUEST_MS = 30_000;
const RANDOM_STEPS = 2 ** 20;

/**
 * Writes events one after the other. If the server does not answer, it tries 12 times, 10 seconds apart; it drops an event that
 * the server rejects. Never throws.
 */
export class EventSink {
  constructor(private readonly options: EventSinkOptions) {}

  async write(write: EventWrite): Promise<void> {
    const { timers, onError, closing, abandoned } = this.options;
    for (let tries = 1; ; tries += 1) {
      try {
        const limit = { timers, milliseconds: REQUEST_MS, signal: abandoned };
        const stored = await withTimeLimit(limit, (signal) => this.#send(write, signal));
        write.stored?.(stored);
        return;
      } catch (error) {
        if (isStatusError(error)) {
          if (!isExpected(error)) onError(failure("the server rejected", write, error));
          return;
        }
        if (!isPassing(error)) return onError(failure("cannot write", write, error));
        if (closing.aborted) return onError(failure("closed before the server took", write, error));
        if (tries === MAX_TRIES) return onError(failure("retry limit exceeded for", write, error));
        if (tries === 1) onError(failure("trying again to write", write, error));
      }
      // The first pause is random, so that clients do not come all at once when a server is back.
      await pause(timers, tries === 1 ? SLEEP_MS * this.#randomFraction() : SLEEP_MS, closing);
    }
  }

  async #send({ resource, event, patch }: EventWrite, signal: AbortSignal): Promise<ApiObject> {
    const { name = "", namespace = "", resourceVersion: _, ...metadata } = event.metadata ?? {};
    const events = this.options.client.resource<ApiObject>(resource).namespace(namespace);
    if (patch !== undefined) {
      try {
        return await events.patch(name, patch as StrategicPatch<ApiObject>, { type: "strategic", signal });
      } catch (error) {
        // The server forgets events after an hour.
        if (!isNotFound(error)) throw error;
      }
    }
    return events.create({ ...event, metadata: { name, namespace, ...metadata } }, { signal });
  }

  #randomFraction(): number {
    return randomBelow(this.options.random, RANDOM_STEPS) / RANDOM_STEPS;
  }
}

/** True when the server did not answer: the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isTransportError(error) || isTransportError(error.cause) || error.message.startsWith("no answer within");
}

/** True for refusals that need no report: the event is there, or its namespace goes. */
function isExpected(error: StatusError): boolean {
  const { details: { causes = [] } = {} } = error.status;
  return isAlreadyExists(error) || causes.some(({ reason }) => reason === "NamespaceTerminating");
}

function failure(what: string, { event }: EventWrite, cause: unknown): Error {
  const { namespace = "", name = "" } = event.metadata ?? {};
  const reason = errorMessage(cause);
  return new Error(`${what} event ${namespace}/${name}: ${reason}`, { cause });
}
