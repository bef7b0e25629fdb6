import type { Transport } from "../../src/client/transport/transport.js";
import { done } from "./admitting-server.js";
import { call } from "./api-caller.js";

export type Phase = "mutating" | "validating";

const path = (phase: Phase): string => `/apis/admissionregistration.k8s.io/v1/${phase}webhookconfigurations`;

/** A rule for every operation on config maps. */
export const CONFIG_MAPS = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };

/** A webhook "one.webhook.test" that is called for config maps, with what differs. */
export function webhookWith(fields: object): object {
  return {
    name: "one.webhook.test",
    rules: [CONFIG_MAPS],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...fields,
  };
}

/** Configures webhooks, each with what differs from {@link webhookWith}, until the answer is disposed of. */
export async function configure(
  api: Transport,
  phase: Phase,
  webhooks: readonly object[],
  name = "config",
): Promise<AsyncDisposable> {
  await done(api, "POST", path(phase), { metadata: { name }, webhooks: webhooks.map(webhookWith) });
  return {
    async [Symbol.asyncDispose]() {
      await call(api, "DELETE", `${path(phase)}/${name}`);
    },
  };
}
