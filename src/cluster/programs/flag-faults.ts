import { errorMessage } from "../../base/text/error-message.js";
import type { Flags } from "../../component/flags/flag-set.js";

/** The messages of the checks that throw: a program names all that is wrong with its flags at once. */
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
