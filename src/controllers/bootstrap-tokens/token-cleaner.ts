import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { ofBootstrapTokens, timeLeft } from "./bootstrap-token.js";

/** Deletes the secrets of bootstrap tokens that have expired. */
export function tokenCleaner({ client, manager, clock }: ControllerContext): void {
  manager
    .controllerFor("v1", "Secret", ofBootstrapTokens)
    .named("token-cleaner-controller")
    .reconcile(async ({ namespace, name, object: secret }) => {
      if (secret === undefined) return;
      const left = timeLeft(secret, clock.now());
      if (left === Number.POSITIVE_INFINITY) return;
      if (left > 0) return { requeueAfterMilliseconds: left };
      try {
        const { uid } = secret.metadata ?? {};
        await client.of("v1", "Secret").namespace(namespace).delete(name, { preconditions: { uid } });
      } catch (error) {
        // Gone, or another secret of the name.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}
