import type { Pod } from "../../../api/types/core/v1.js";
import { eachContainer } from "../../../api/validation/pod/each-container.js";
import { formatFieldError, notSupported } from "../../../machinery/errors/field-error.js";
import { type StatusError, unclassified } from "../../../machinery/errors/status-error.js";
import {
  absent,
  child,
  children,
  type DraftObject,
  ensureChild,
  object,
  objects,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";
import { containersToChange } from "./pods.js";

const ALWAYS = "Always";

/**
 * Nodes pull the images of each pod anew, so that no pod uses an image that only the credentials of another pod could pull. A change
 * that brings no image is let pass as it is.
 */
export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  handles: handling(WRITES, "pods"),
  admit(attributes) {
    const { oldObject } = attributes;
    const pod: DraftObject<Pod> | undefined = attributes.object;
    if (pod === undefined || bringsNoImage(pod, oldObject)) return;
    for (const container of containersToChange(pod)) container.imagePullPolicy = ALWAYS;
    for (const volume of children(ensureChild(pod, "spec"), "volumes")) {
      const image = child(volume, "image");
      if (image !== undefined) image.pullPolicy = ALWAYS;
    }
  },
  validate(attributes) {
    const { oldObject } = attributes;
    const pod: ReceivedObject<Pod> | undefined = attributes.object;
    if (pod === undefined || bringsNoImage(pod, oldObject)) return;
    const spec = object(pod.spec);
    const policies = [
      ...eachContainer(spec, "spec").map(([{ imagePullPolicy }, path]) => [`${path}.imagePullPolicy`, imagePullPolicy]),
      ...objects(spec.volumes).flatMap(({ image }, index) =>
        absent(image) ? [] : [[`spec.volumes[${index}].image.pullPolicy`, object(image).pullPolicy]],
      ),
    ] as const;
    const wrong = policies.filter(([, policy]) => policy !== ALWAYS);
    if (wrong.length > 0)
      throw notAlways(
        attributes,
        wrong.map(([path, policy]) => [String(path), text(policy)]),
      );
  },
};

/** Several refusals are one error of kube-apiserver that has no reason. */
function notAlways(attributes: AdmissionAttributes, wrong: readonly (readonly [string, string])[]): StatusError {
  const texts = wrong.map(
    ([path, policy]) => refused(attributes, formatFieldError(notSupported(path, policy, [ALWAYS]))).message,
  );
  return unclassified(texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`);
}

/** Images of volumes do not count. */
function bringsNoImage(pod: ReceivedObject<Pod>, old: ReceivedObject<Pod> | undefined): boolean {
  if (old === undefined) return false;
  const before = new Set(imagesOf(old));
  return imagesOf(pod).every((image) => before.has(image));
}

const imagesOf = (pod: ReceivedObject<Pod>): readonly unknown[] =>
  eachContainer(object(pod.spec), "").map(([{ image }]) => image);
