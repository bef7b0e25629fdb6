import type { AdmissionPlugin } from "../plugin.js";
import { ConfiguredWebhooks } from "../webhook/configured-webhooks.js";
import { isExempt } from "../webhook/exempt-resources.js";
import { type CompileMatchConditions, MatchConditionsOfWebhooks } from "../webhook/match-conditions.js";
import { ReinvokedWebhooks } from "../webhook/reinvoked-webhooks.js";

/** Lets the webhooks of MutatingWebhookConfigurations change and refuse writes and connections. */
export function mutatingAdmissionWebhook(compile?: CompileMatchConditions): AdmissionPlugin {
  const configured = new ConfiguredWebhooks("mutatingwebhookconfigurations");
  const parts = { conditions: new MatchConditionsOfWebhooks(compile), reinvoked: new ReinvokedWebhooks() };
  return {
    name: "MutatingAdmissionWebhook",
    handles: (_, target) => !isExempt(target),
    idle: ({ objects }) => configured.areNone(objects),
    async admit(attributes, context) {
      const webhooks = await configured.now(context.objects);
      if (webhooks.length === 0) return;
      const { mutateByWebhooks } = await import("../webhook/mutate-by-webhooks.js");
      await mutateByWebhooks(webhooks, attributes, context, parts);
    },
  };
}
