import { inOrder } from "../../../base/async/turns.js";
import { isExemptFromWebhooks, isReview } from "../matching/exempt-resources.js";
import type { AdmissionContext, AdmissionPlugin, AdmissionTarget, ManifestFolder } from "../plugin.js";
import { ReinvokedCalls } from "../reinvocation.js";
import { ConfiguredWebhooks } from "../webhook/webhook.js";

/** Calls the webhooks of MutatingWebhookConfigurations, which may change and reject writes and connections. */
export function mutatingAdmissionWebhook(folder: ManifestFolder = {}): AdmissionPlugin {
  const name = "MutatingAdmissionWebhook";
  const configured = new ConfiguredWebhooks("mutatingwebhookconfigurations", name);
  const reinvoked = new ReinvokedCalls();
  return {
    name,
    ...askedWhen(configured, folder),
    async admit(attributes, context) {
      const webhooks = await configured.now(context, isExemptFromWebhooks(attributes.resource));
      if (webhooks.length === 0) return;
      const { mutateByWebhooks } = await inOrder(import("../webhook/mutate-by-webhooks.js"));
      await mutateByWebhooks(webhooks, attributes, context, reinvoked);
    },
  };
}

/** Calls the webhooks of ValidatingWebhookConfigurations, which may reject writes and connections. */
export function validatingAdmissionWebhook(folder: ManifestFolder = {}): AdmissionPlugin {
  const name = "ValidatingAdmissionWebhook";
  const configured = new ConfiguredWebhooks("validatingwebhookconfigurations", name);
  return {
    name,
    ...askedWhen(configured, folder),
    async validate(attributes, context) {
      const webhooks = await configured.now(context, isExemptFromWebhooks(attributes.resource));
      if (webhooks.length === 0) return;
      const { validateByWebhooks } = await inOrder(import("../webhook/validate-by-webhooks.js"));
      await validateByWebhooks(webhooks, attributes, context);
    },
  };
}

/** Webhooks of files see what those of the API do not. */
function askedWhen(
  configured: ConfiguredWebhooks,
  { staticManifestsDir }: ManifestFolder,
): Pick<AdmissionPlugin, "handles" | "idle"> {
  return {
    handles: (_, target) => staticManifestsDir !== undefined || !isExemptFromWebhooks(target),
    idle: (context, target) =>
      seesNoReviews(context, target) || configured.areNone(context, isExemptFromWebhooks(target)),
  };
}

/** K37-103 */
const seesNoReviews = ({ gates }: AdmissionContext, target: AdmissionTarget): boolean =>
  isReview(target) && gates.enabled("ExcludeAdmissionWebhookVirtualResources");
