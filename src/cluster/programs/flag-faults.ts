import { errorMessage } from "../../base/text/error-message.js";
import type { Flags } from "../../component/flags/flag-set.js";

/** Runs checks that throw, and returns all their messages: a program reports all faults of its flags at once. */
export function faultsOf(...checks: readonly (() => unknown)[]): readonly string[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return [errorMessage(error)];
    }
  });
}

/** k8s.io/apiserver's error for an invalid port. */
export function securePortFaults(flags: Flags): readonly string[] {
  const port = flags.number("secure-port");
  if (port >= 0 && port <= 65_535) return [];
  return [`--secure-port ${port} must be between 0 and 65535, inclusive. 0 for turning off secure port`];
}
