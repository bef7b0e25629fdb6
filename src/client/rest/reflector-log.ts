import { startStopwatch } from "../../base/time/stopwatch.js";
import type { VerboseLog } from "../klog.js";
import type { RestRequest } from "./rest-client.js";

/** True for a watch that begins with the existing objects. client-go runs a reflector for it. */
export const isReflectors = ({ query }: RestRequest): boolean => query?.["sendInitialEvents"] === "true";

const REFLECTOR = "k8s.io/client-go/tools/watch/informerwatcher.go:162";
const LIFE = { type: "*unstructured.Unstructured", resyncPeriod: "0s", reflector: REFLECTOR };
const INITIAL_END = "k8s.io/initial-events-end";

/** Logs the start of a reflector, before the client requests the watch. */
export function logReflectorStart(log: VerboseLog): void {
  log.structured(3, "reflector.go:425", "Starting reflector", LIFE);
  log.structured(3, "reflector.go:472", "Listing and watching", { type: LIFE.type, reflector: REFLECTOR });
}

/** Passes the bytes of a watch through. Logs the end of its initial events and the end of the watch. */
export async function* reflectedWatch(
  body: AsyncIterable<Uint8Array>,
  log: VerboseLog,
): AsyncGenerator<Uint8Array, void> {
  const elapsed = startStopwatch();
  const decoder = new TextDecoder();
  let totalItems = 0;
  let pending: string | undefined = "";
  try {
    for await (const chunk of body) {
      if (pending !== undefined) {
        const lines: string[] = (pending + decoder.decode(chunk, { stream: true })).split("\n");
        pending = lines.pop() ?? "";
        const end = lines.findIndex((line) => line.includes(INITIAL_END));
        totalItems += end === -1 ? lines.length : end + 1;
        if (end !== -1) {
          pending = undefined;
          logInitialEnd(log, totalItems, elapsed());
        }
      }
      yield chunk;
    }
  } finally {
    log.structured(3, "reflector.go:434", "Stopping reflector", LIFE);
  }
}

function logInitialEnd(log: VerboseLog, totalItems: number, milliseconds: number): void {
  const message = "Exiting watch because received the bookmark that marks the end of initial events stream";
  const duration = `${milliseconds.toFixed(6).replace(/\.?0+$/, "")}ms`;
  log.structured(4, "reflector.go:1080", message, { reflector: REFLECTOR, totalItems, duration });
  log.structured(2, "reflector.go:507", "Caches populated", { type: LIFE.type, reflector: REFLECTOR });
}
