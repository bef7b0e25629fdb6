import { ShortWatchError } from "./list-watch.js";
import { isGone } from "../../machinery/errors/status-error.js";

/** Whether a reflector meets the fault in a cluster without faults: a version is too old, or the server ends a watch early. */
export function isUsualFault(error: unknown): boolean {
  return isGone(error) || error instanceof ShortWatchError;
}
