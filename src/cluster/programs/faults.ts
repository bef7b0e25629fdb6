import { errorMessage } from "../../base/text/error-message.js";

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
