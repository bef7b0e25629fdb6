import type { PodInfo } from "../cache/pod-info.js";
import type { NodeInfo } from "../cache/node-info.js";
import { type SchedulerHandle, MAX_NODE_SCORE, type SchedulerPlugin } from "../framework/plugin.js";
import { SKIP } from "../framework/status.js";
import { PLUGIN } from "./names.js";

const MIB = 1024 * 1024;
/** Images of less do not count. */
const MIN_BYTES = 23 * MIB;
/** More than this for each image does not count. */
const MAX_BYTES = 1000 * MIB;
const STATE = PLUGIN.imageLocality;

/** Prefers nodes that have the pod's images. Images that few nodes have count less, so that these nodes do not get all pods. */
export function imageLocality({ nodes: lister }: Pick<SchedulerHandle, "nodes">): SchedulerPlugin {
  return {
    name: PLUGIN.imageLocality,
    events: [],
    preScore(state, info) {
      const images = imagesOf(info);
      if (images.every((image) => lister.nodesWithImage(image) === 0)) return SKIP;
      state.write(STATE, images);
      return undefined;
    },
    score(state, _info, node) {
      const images = state.read<readonly string[]>(STATE) ?? [];
      return node.images.size === 0 ? 0 : imageScore(presentBytes(images, node, lister), images.length);
    },
  };
}

/** Scores the bytes of the pod's images that a node has: from 0, for at most 23 MiB, to 100, for 1000 MiB per image. */
export function imageScore(bytes: number, imageCount: number): number {
  const most = MAX_BYTES * imageCount;
  const counted = Math.min(Math.max(bytes, MIN_BYTES), most);
  return Math.trunc((MAX_NODE_SCORE * (counted - MIN_BYTES)) / (most - MIN_BYTES));
}

function presentBytes(images: readonly string[], node: NodeInfo, lister: SchedulerHandle["nodes"]): number {
  const total = lister.list().length;
  let bytes = 0;
  for (const image of images) {
    const size = node.images.get(image);
    if (size !== undefined) bytes += Math.trunc(size * (lister.nodesWithImage(image) / total));
  }
  return bytes;
}

function imagesOf({ pod: { spec } }: PodInfo): readonly string[] {
  const images = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = "" }) => withTag(image));
  for (const { image } of spec?.volumes ?? [])
    if (image?.reference !== undefined) images.push(withTag(image.reference));
  return images;
}

const withTag = (image: string): string =>
  image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
