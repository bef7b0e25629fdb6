import type { AdmissionPlugin } from "../plugin.js";
import { ConfiguredWebhooks } from "../webhook/configured-webhooks.js";
import { isExempt } from "../webhook/exempt-resources.js";
import { type CompileMatchConditions, MatchConditionsOfWebhooks } from "../webhook/match-conditions.js";

/** Lets the webhooks of ValidatingWebhookConfigurations refuse writes and connections. */
export function validatingAdmissionWebhook(compile?: CompileMatchConditions): AdmissionPlugin {
  const configured = new ConfiguredWebhooks("validatingwebhookconfigurations");
  const conditions = new MatchConditionsOfWebhooks(compile);
  return {
    name: "ValidatingAdmissionWebhook",
    handles: (_, target) => !isExempt(target),
    idle: ({ objects }) => configured.areNone(objects),
    async validate(attributes, context) {
      const webhooks = await configured.now(context.objects);
      if (webhooks.length === 0) return;
      const { validateByWebhooks } = await import("../webhook/validate-by-webhooks.js");
      await validateByWebhooks(webhooks, attributes, context, conditions);
    },
  };
}
