import { eachContainer } from "../../../../api/validation/each-container.js";
import { decodeJson } from "../../../../machinery/codec/json-decoder.js";
import { statedKind } from "../../../../machinery/codec/stated-kind.js";
import { decodeObject } from "../../../../machinery/codec/strict-decode.js";
import { object } from "../../../../machinery/meta/access.js";
import type { JsonValue } from "../../../../machinery/meta/json.js";
import { boolean, map, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";
import type { WebhookAnswer } from "../../../webhook/webhook-client.js";
import type { AdmissionAttributes } from "../../attributes.js";

/** What the webhook is asked: may these images run in this namespace. */
export interface ImageReviewSpec {
  readonly containers: readonly { readonly image: string }[];
  /** Those of the pod that are meant for the webhook. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace: string;
}

export interface ImageReviewStatus {
  readonly allowed?: boolean;
  readonly reason?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

const KIND = { group: "imagepolicy.k8s.io", version: "v1alpha1", kind: "ImageReview" };

const STATUS: StructSchema = {
  ...struct("ImageReviewStatus", { allowed: boolean, reason: string, auditAnnotations: map(string) }),
  goType: "v1alpha1.ImageReviewStatus",
};
const REVIEW: StructSchema = { ...struct("ImageReview", { status: STATUS }), goType: "v1alpha1.ImageReview" };

/** The images of a pod; of ephemeral containers alone where the request is about those. */
export function imageReviewSpec({ object: pod, namespace, subresource }: AdmissionAttributes): ImageReviewSpec {
  const spec = object(pod?.["spec"]);
  const fields = subresource === "ephemeralcontainers" ? ["ephemeralContainers"] : ["containers", "initContainers"];
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

export const encodeImageReview = (spec: ImageReviewSpec): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      kind: KIND.kind,
      apiVersion: `${KIND.group}/${KIND.version}`,
      metadata: {},
      spec,
      status: { allowed: false },
    }),
  );

/** As deep as an answer may nest. */
const MAX_DEPTH = 100;

/** Reads an answer as a review. Throws an Error in client-go's words for anything else. */
export function readImageReview({ status, contentType, body }: WebhookAnswer): ImageReviewStatus {
  if (body.length === 0) {
    throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  }
  const value = decoded(body);
  const stated = statedKind(value);
  const [kind, version] = [stated.kind || KIND.kind, stated.version || KIND.version];
  const group = stated.version === "" ? KIND.group : stated.group;
  if (kind !== KIND.kind || group !== KIND.group || version !== KIND.version) {
    throw new Error(`converting (${version}.${kind}) to (${KIND.version}.${KIND.kind}): unknown conversion`);
  }
  const review = decodeObject<{ readonly status?: ImageReviewStatus }>(value, REVIEW, { mode: "Ignore" });
  return review.object.status ?? {};
}

function decoded(body: Uint8Array): JsonValue {
  try {
    return decodeJson(body, { maxDepth: MAX_DEPTH }).value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`couldn't get version/kind; json parse error: ${reason}`, { cause: error });
  }
}
