import { errorMessage } from "../../../base/text/error-message.js";
import { ExpiringLru } from "../../../base/collections/lru.js";
import { isForbidden } from "../../../machinery/errors/status-error.js";
import { annotate } from "../annotate.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling, WRITES } from "../handling.js";
import type { AdmissionContext, AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";
import {
  type ImagePolicyTimes,
  type ImagePolicyWebhookConfiguration,
  timesOf,
} from "./image-policy-webhook/configuration.js";
import {
  encodeImageReview,
  imageReviewSpec,
  type ImageReviewStatus,
  readImageReview,
} from "./image-policy-webhook/image-review.js";

/** How many answers are kept. */
const KEPT = 1024;
const AUDIT_PREFIX = "imagepolicywebhook.image-policy.k8s.io/";

/** Asks a webhook whether the images of a pod may run. Throws without a configuration, because it names the webhook. */
export function imagePolicyWebhook(configuration: ImagePolicyWebhookConfiguration | undefined): AdmissionPlugin {
  if (configuration === undefined) throw new Error("no config specified");
  const { client, defaultAllow = false } = configuration;
  const times = timesOf(configuration);
  let answers: ExpiringLru<ImageReviewStatus> | undefined;

  async function reviewed(attributes: AdmissionAttributes, context: AdmissionContext): Promise<ImageReviewStatus> {
    const spec = imageReviewSpec(attributes);
    const key = JSON.stringify(spec);
    answers ??= new ExpiringLru(KEPT, context.clock);
    const kept = answers.get(key);
    if (kept !== undefined) return kept;
    const webhook = context.webhooks.ofConfig(client);
    const options = { pause: times.retryBackoff, signal: attributes.signal };
    const status = await readImageReview(await webhook.post(encodeImageReview(spec), options));
    answers.set(key, status, ttlOf(status, times));
    return status;
  }

  return {
    name: "ImagePolicyWebhook",
    handles: handling(WRITES, "pods", "pods/ephemeralcontainers"),
    async validate(attributes, context) {
      let status: ImageReviewStatus;
      try {
        status = await reviewed(attributes, context);
      } catch (error) {
        if (!defaultAllow) throw isForbidden(error) ? error : refused(attributes, errorMessage(error));
        annotate(attributes, `${AUDIT_PREFIX}failed-open`, "true");
        return;
      }
      const { allowed = false, reason = "", auditAnnotations = {} } = status;
      for (const [key, value] of Object.entries(auditAnnotations)) annotate(attributes, AUDIT_PREFIX + key, value);
      if (allowed) return;
      if (reason === "") throw refused(attributes, "one or more images rejected by webhook backend");
      throw refused(attributes, `image policy webhook backend denied one or more images: ${reason}`);
    },
  };
}

const ttlOf = ({ allowed = false }: ImageReviewStatus, { allowTtl, denyTtl }: ImagePolicyTimes): number =>
  allowed ? allowTtl : denyTtl;
