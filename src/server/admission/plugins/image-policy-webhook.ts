import type { ImageReview } from "../../../api/types/imagepolicy/v1alpha1.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { ExpiringLru } from "../../../base/collections/lru.js";
import { isForbidden } from "../../../machinery/errors/status-error.js";
import { annotate, type AdmissionAttributes, refused } from "../attributes.js";
import { handling, WRITES, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import type { Pod } from "../../../api/types/core/v1.js";
import type { RestResponse } from "../../../client/rest/rest-client.js";
import { eachContainer } from "../../../api/validation/pod/each-container.js";
import { type FieldsOf, object, type ReceivedObject } from "../../../machinery/meta/received.js";
import { boolean, map, string, struct, anyJson, int64 } from "../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { readPostedReview } from "../../webhook/read-review.js";
import type { ClientConfig } from "../../../client/config/client-config.js";
import { goDurationText } from "../../../client/rest/go-duration-text.js";
import { configFromFile } from "../../../client/config/load-config.js";
import type { ConfigurationDocument } from "../../../machinery/wire/configuration-document.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";

/** How many answers are kept. */
const KEPT = 1024;
const AUDIT_PREFIX = "imagepolicywebhook.image-policy.k8s.io/";

/** Asks a webhook whether a pod's images may run. Throws without a configuration, which must name the webhook. */
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

/** The spec of the ImageReview that is sent to the webhook: whether these images may run in this namespace. */
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
  ...struct("ImageReviewStatus", {
    allowed: boolean,
    reason: string,
    auditAnnotations: map(string),
  } satisfies FieldsOf<ImageReviewStatus>),
  goType: "v1alpha1.ImageReviewStatus",
};
const REVIEW: StructSchema = {
  ...struct("ImageReview", { status: STATUS } satisfies FieldsOf<ImageReview>),
  goType: "v1alpha1.ImageReview",
};

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
  return {
    containers,
    ...(annotations.length > 0 &&
      ({ annotations: Object.fromEntries(annotations) } satisfies FieldsOf<ImageReviewSpec>)),
    namespace,
  };
}

const encodeImageReview = (spec: ImageReviewSpec): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      kind: KIND.kind,
      apiVersion: `${KIND.group}/${KIND.version}`,
      metadata: {},
      spec,
      status: { allowed: false } satisfies FieldsOf<ImageReviewStatus>,
    } satisfies FieldsOf<ImageReview>),
  );

/** Reads an answer as a review. Rejects with an Error in client-go's words for anything else. */
async function readImageReview(answer: RestResponse): Promise<ImageReviewStatus> {
  const { status }: { readonly status?: ImageReviewStatus } = await readPostedReview(answer, KIND, REVIEW, SCHEME);
  return object(status);
}

export interface ImagePolicyWebhookConfiguration {
  /** The webhook and the credentials that it is shown, as `configFromFile` of a kubeconfig answers them. */
  readonly client: ClientConfig;
  /** How long an answer that allows is kept, in seconds. 0, or left out: 300. -1: not at all. */
  readonly allowTTL?: number;
  /** How long an answer that denies is kept, in seconds. 0, or left out: 30. -1: not at all. */
  readonly denyTTL?: number;
  /** The first pause between tries, in milliseconds. 0, or left out: 500. -1: none. */
  readonly retryBackoff?: number;
  /** Whether pods are let pass while the webhook fails. Default: false. */
  readonly defaultAllow?: boolean;
}

/** In milliseconds; 0 where there is none. */
interface ImagePolicyTimes {
  readonly retryBackoff: number;
  readonly allowTtl: number;
  readonly denyTtl: number;
}

const NANOSECOND = 1e-6;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Throws in the plugin's words for a time beyond its bounds. */
function timesOf(configuration: Omit<ImagePolicyWebhookConfiguration, "client">): ImagePolicyTimes {
  const { retryBackoff = 0, allowTTL = 0, denyTTL = 0 } = configuration;
  const ttl = { unit: SECOND, least: SECOND, most: 30 * MINUTE };
  return {
    retryBackoff: timeOf(retryBackoff, { unit: 1, least: NANOSECOND, most: 5 * MINUTE, usual: 500 }),
    allowTtl: timeOf(allowTTL, { ...ttl, usual: 5 * MINUTE }),
    denyTtl: timeOf(denyTTL, { ...ttl, usual: 30 * SECOND }),
  };
}

interface Bounds {
  readonly unit: number;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

function timeOf(value: number, { unit, least, most, usual }: Bounds): number {
  if (value === -1) return 0;
  if (value === 0) return usual;
  const time = value * unit;
  if (time >= least && time <= most) return time;
  const [low, high, given] = [least, most, time].map(goDurationText);
  throw new Error(`valid value is between ${low} and ${high}, got ${given}`);
}

interface FileConfiguration extends Omit<ImagePolicyWebhookConfiguration, "client"> {
  readonly kubeConfigFile?: string;
}

const TYPE: StructSchema = {
  ...struct("imagePolicyWebhookConfig", {
    kubeConfigFile: string,
    allowTTL: int64,
    denyTTL: int64,
    retryBackoff: int64,
    defaultAllow: boolean,
  }),
  goType: "imagepolicy.imagePolicyWebhookConfig",
};
const DOCUMENT: StructSchema = {
  // A file without a kind may have the configuration of PodNodeSelector beside this one.
  ...struct("AdmissionConfig", { imagePolicy: TYPE, podNodeSelectorPluginConfig: anyJson }),
  goType: "imagepolicy.AdmissionConfig",
};

/**
 * Reads the configuration, whose document has no kind and no version. Throws for a time out of bounds, in the plugin's words; for
 * unknown fields, which kube-apiserver ignores; and for a kubeconfig that cannot be used, with its file, entry and field.
 */
export async function readImagePolicyWebhookConfiguration(
  { value, duplicates }: ConfigurationDocument,
  loadConfig: (file: string) => Promise<ClientConfig> = (file) => configFromFile(file),
): Promise<ImagePolicyWebhookConfiguration> {
  const { object, strictErrors } = decodeObject<{ readonly imagePolicy?: FileConfiguration }>(value ?? {}, DOCUMENT, {
    mode: "Strict",
    duplicates,
  });
  if (strictErrors.length > 0) throw new Error(`strict decoding error: ${strictErrors.join(", ")}`);
  const { kubeConfigFile = "", ...rest } = object.imagePolicy ?? {};
  timesOf(rest);
  return { ...rest, client: await loadConfig(kubeConfigFile) };
}
