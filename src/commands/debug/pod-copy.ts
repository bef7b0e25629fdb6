import { children, ensureChild, type Fields, list, object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { DebugRequest } from "./container-request.js";
import type { ApplyCustomProfile } from "./custom-profile.js";
import { debugProfile } from "./profiles.js";

export interface CopyRequest extends DebugRequest {
  readonly copyTo: string;
  readonly sameNode: boolean;
  /** Undefined leaves it to the pod and the profile. */
  readonly shareProcesses: boolean | undefined;
  /** By the container's name; "*" is all of them. */
  readonly setImages: ReadonlyMap<string, string>;
}

export interface PodCopy {
  readonly pod: KubeObject;
  /** The container to attach to; "" where only images changed. */
  readonly container: string;
}

/**
 * A copy of the pod with a container more, or with one of its containers changed. `newName` names a container that has no name yet.
 * Throws where a new container has no image.
 */
export function podCopy(
  pod: KubeObject,
  request: CopyRequest,
  newName: (taken: ReadonlySet<string>) => string,
  applyCustom: ApplyCustomProfile,
): PodCopy {
  const { draft, spec } = copied(pod, request);
  setImages(spec, request.setImages);
  const { image } = request;
  let name = request.container;
  let container = containersOf(spec).find((one) => one["name"] === name);
  if (container === undefined) {
    if (image === "" && request.setImages.size > 0) return { pod: draft as KubeObject, container: "" };
    if (image === "") throw new Error("you must specify image when creating new container");
    name ||= newName(new Set(containersOf(spec).map((one) => text(one["name"]))));
    container = { name, terminationMessagePolicy: "File" };
    spec["containers"] = [...list(spec["containers"]), container];
  }
  change(container, request);
  debugProfile(request.profile)({ pod: draft, container: name, style: "podCopy", keep: request.keep });
  applyCustom(draft, "containers", name, request.custom);
  return { pod: draft as KubeObject, container: name };
}

function copied(pod: KubeObject, request: CopyRequest): { readonly draft: Fields; readonly spec: Fields } {
  const { namespace, annotations, labels } = pod.metadata ?? {};
  const spec = structuredClone(object(pod.spec)) as Fields;
  delete spec["ephemeralContainers"];
  if (request.shareProcesses !== undefined) spec["shareProcessNamespace"] = request.shareProcesses;
  if (!request.sameNode) delete spec["nodeName"];
  const metadata = { name: request.copyTo, namespace, annotations, labels };
  const draft: Fields = { apiVersion: "v1", kind: "Pod", metadata, spec };
  return { draft, spec: ensureChild(draft, "spec") };
}

const containersOf = (spec: Fields): readonly Fields[] => [
  ...children(spec, "containers"),
  ...children(spec, "initContainers"),
];

function setImages(spec: Fields, images: ReadonlyMap<string, string>): void {
  for (const container of children(spec, "containers")) {
    const image = images.get(text(container["name"])) ?? images.get("*") ?? "";
    if (image !== "") container["image"] = image;
  }
}

function change(container: Fields, { args, argumentsOnly, env, image, pullPolicy, stdin, tty }: CopyRequest): void {
  if (args.length > 0) {
    container[argumentsOnly ? "args" : "command"] = args;
    if (!argumentsOnly) delete container["args"];
  }
  if (env.length > 0) container["env"] = env;
  if (image !== "") container["image"] = image;
  if (pullPolicy !== "") container["imagePullPolicy"] = pullPolicy;
  container["stdin"] = stdin;
  container["tty"] = tty;
}
