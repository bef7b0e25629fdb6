import type { Pod } from "../../../../api/types/core/v1.js";
import type { RestResponse } from "../../../../client/rest/rest-client.js";
import { eachContainer } from "../../../../api/validation/pod/each-container.js";
import { object, type ReceivedObject } from "../../../../machinery/meta/received.js";
import { boolean, map, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";
import { readPostedReview } from "../../../webhook/read-posted-review.js";
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

/** Where kube-apiserver makes the scheme that it reads these reviews with; errors name it. */
const SCHEME = "pkg/api/legacyscheme/scheme.go:30";

const STATUS: StructSchema = {
  ...struct("ImageReviewStatus", { allowed: boolean, reason: string, auditAnnotations: map(string) }),
  goType: "v1alpha1.ImageReviewStatus",
};
const REVIEW: StructSchema = { ...struct("ImageReview", { status: STATUS }), goType: "v1alpha1.ImageReview" };

/** The images of a pod; of ephemeral containers alone where the request is about those. */
export function imageReviewSpec(attributes: AdmissionAttributes): ImageReviewSpec {
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

/** Reads an answer as a review. Rejects with an Error in client-go's words for anything else. */
export async function readImageReview(answer: RestResponse): Promise<ImageReviewStatus> {
  const { status }: { readonly status?: ImageReviewStatus } = await readPostedReview(answer, KIND, REVIEW, SCHEME);
  return object(status);
}
