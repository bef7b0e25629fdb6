import { errorMessage } from "../../base/text/error-message.js";
import type { ReflectorFault } from "../reflector/list-watch.js";

/** A problem that a manager reports. The manager goes on after each of them. */
export type Problem =
  | {
      readonly type: "reconcile-failed";
      readonly controller: string;
      /** The key of the object: "<namespace>/<name>", or "<name>". */
      readonly key: string;
      readonly error: unknown;
      /** Failures of this object since it last succeeded. All but the first are reported once a minute. */
      readonly failures: number;
    }
  | {
      /** A reconciliation has not ended for a long time. Reported once a minute. */
      readonly type: "reconcile-running";
      readonly controller: string;
      readonly key: string;
      readonly seconds: number;
    }
  | { readonly type: "informer-fault"; readonly kind: string; readonly fault: ReflectorFault }
  | { readonly type: "failed"; readonly what: string; readonly error: unknown };

/** Describes a problem in one line for people. */
export function describeProblem(problem: Problem): string {
  switch (problem.type) {
    case "reconcile-failed": {
      const times = problem.failures === 1 ? "" : ` (${problem.failures} times in a row)`;
      return `${problem.controller}: reconciling ${problem.key} failed${times}: ${errorMessage(problem.error)}`;
    }
    case "reconcile-running":
      return `${problem.controller}: reconciling ${problem.key} has been running for ${Math.round(problem.seconds)} seconds`;
    case "informer-fault": {
      const { step, error, attempt, retryInMilliseconds } = problem.fault;
      const next = retryInMilliseconds === 0 ? "at once" : `in ${(retryInMilliseconds / 1000).toFixed(1)} seconds`;
      return `${step} of ${problem.kind} failed (attempt ${attempt}, next ${next}): ${errorMessage(error)}`;
    }
    case "failed":
      return `${problem.what} failed: ${errorMessage(problem.error)}`;
  }
}
