import { inOrder } from "../../../base/async/turns.js";
import { isExemptFromWebhooks } from "../matching/exempt-resources.js";
import type { AdmissionPlugin } from "../plugin.js";
import { ReinvokedCalls } from "../reinvoked-calls.js";
import { ConfiguredWebhooks } from "../webhook/webhook.js";

/** Lets the webhooks of MutatingWebhookConfigurations change and refuse writes and connections. */
export function mutatingAdmissionWebhook(): AdmissionPlugin {
  const configured = new ConfiguredWebhooks("mutatingwebhookconfigurations");
  const reinvoked = new ReinvokedCalls();
  return {
    name: "MutatingAdmissionWebhook",
    handles: (_, target) => !isExemptFromWebhooks(target),
    idle: ({ objects }) => configured.areNone(objects),
    async admit(attributes, context) {
      const webhooks = await configured.now(context.objects);
      if (webhooks.length === 0) return;
      const { mutateByWebhooks } = await inOrder(import("../webhook/mutate-by-webhooks.js"));
      await mutateByWebhooks(webhooks, attributes, context, reinvoked);
    },
  };
}

/** Lets the webhooks of ValidatingWebhookConfigurations refuse writes and connections. */
export function validatingAdmissionWebhook(): AdmissionPlugin {
  const configured = new ConfiguredWebhooks("validatingwebhookconfigurations");
  return {
    name: "ValidatingAdmissionWebhook",
    handles: (_, target) => !isExemptFromWebhooks(target),
    idle: ({ objects }) => configured.areNone(objects),
    async validate(attributes, context) {
      const webhooks = await configured.now(context.objects);
      if (webhooks.length === 0) return;
      const { validateByWebhooks } = await inOrder(import("../webhook/validate-by-webhooks.js"));
      await validateByWebhooks(webhooks, attributes, context);
    },
  };
}
