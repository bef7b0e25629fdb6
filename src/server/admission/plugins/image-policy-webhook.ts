import { errorMessage } from "../../../base/text/error-message.js";
import { ExpiringLru } from "../../../base/collections/expiring-lru.js";
import { isForbidden } from "../../../machinery/errors/status-error.js";
import { annotate, type AdmissionAttributes, refused } from "../attributes.js";
import { handling, WRITES, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import {
  type ImagePolicyTimes,
  type ImagePolicyWebhookConfiguration,
  timesOf,
} from "./image-policy-webhook/configuration.js";
import type { Pod } from "../../../api/types/core/v1.js";
import type { RestResponse } from "../../../client/rest/rest-client.js";
import { eachContainer } from "../../../api/validation/pod/each-container.js";
import { object, type ReceivedObject } from "../../../machinery/meta/received.js";
import { boolean, map, string, struct } from "../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { readPostedReview } from "../../webhook/read-posted-review.js";

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

/** What the webhook is asked: may these images run in this namespace. */
export interface ImageReviewSpec {
  readonly containers: readonly { readonly image: string }[];
  /** Those of the pod that are meant for the webhook. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace: string;
}

interface ImageReviewStatus {
  readonly allowed?: boolean;
  readonly reason?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

const KIND = { group: "imagepolicy.k8s.io", version: "v1alpha1", kind: "ImageReview" };

/** Where kube-apiserver makes the scheme that it reads these reviews with; errors name it. */
const SCHEME = "pkg/api/legacyscheme/scheme.go:30";

const STATUS: StructSchema = {
  ...struct("ImageReviewStatus", { allowed: boolean, reason: string, auditAnnotations: map(string) }),
  goType: "v1alpha1.ImageReviewStatus",
};
const REVIEW: StructSchema = { ...struct("ImageReview", { status: STATUS }), goType: "v1alpha1.ImageReview" };

/** The images of a pod; of ephemeral containers alone where the request is about those. */
function imageReviewSpec(attributes: AdmissionAttributes): ImageReviewSpec {
  const { namespace, subresource } = attributes;
  const pod: ReceivedObject<Pod> | undefined = attributes.object;
  const spec = object(pod?.spec);
  const fields =
    subresource === "ephemeralcontainers"
      ? (["ephemeralContainers"] as const)
      : (["containers", "initContainers"] as const);
  const containers = fields.flatMap((field) =>
    eachContainer({ [field]: spec[field] }, "").map(([{ image }]) => ({
      image: typeof image === "string" ? image : "",
    })),
  );
  const annotations = Object.entries(pod?.metadata?.annotations ?? {})
    .filter(([key]) => key.includes(".image-policy.k8s.io/"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { containers, ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }), namespace };
}

const encodeImageReview = (spec: ImageReviewSpec): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      kind: KIND.kind,
      apiVersion: `${KIND.group}/${KIND.version}`,
      metadata: {},
      spec,
      status: { allowed: false },
    }),
  );

/** Reads an answer as a review. Rejects with an Error in client-go's words for anything else. */
async function readImageReview(answer: RestResponse): Promise<ImageReviewStatus> {
  const { status }: { readonly status?: ImageReviewStatus } = await readPostedReview(answer, KIND, REVIEW, SCHEME);
  return object(status);
}
