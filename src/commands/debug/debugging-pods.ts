import {
  children,
  ensureChild,
  type Fields,
  list,
  object,
  text,
  type ReadonlyFields,
} from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type ApplyCustomProfile, debugProfile, type KeepFlags } from "./profiles.js";
import type { Random } from "../../base/numbers/random.js";

export interface EphemeralPod {
  /** The pod with the container. */
  readonly pod: KubeObject;
  readonly container: Fields;
}

/** Returns the pod with another ephemeral container, which sees the processes of the container `target` unless that is "". */
export function withEphemeralContainer(
  pod: KubeObject,
  name: string,
  target: string,
  request: DebugRequest,
  applyCustom: ApplyCustomProfile,
): EphemeralPod {
  const draft = structuredClone(pod) as Fields;
  const spec = ensureChild(draft, "spec");
  const container = { ...debugContainer(request, name), ...(target !== "" && { targetContainerName: target }) };
  spec["ephemeralContainers"] = [...list(spec["ephemeralContainers"]), container];
  debugProfile(request.profile)({ pod: draft, container: name, style: "ephemeral", keep: request.keep });
  applyCustom(draft, "ephemeralContainers", name, request.custom);
  return { pod: draft, container: children(spec, "ephemeralContainers").at(-1) ?? {} };
}

/** Makes a pod for the node that tolerates all taints. The profile decides whether it shares the node's namespaces and file system. */
export function nodePod(
  node: string,
  podName: string,
  container: string,
  request: DebugRequest,
  applyCustom: ApplyCustomProfile,
): KubeObject {
  const draft: Fields = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: podName, labels: { "app.kubernetes.io/managed-by": "kubectl-debug" } },
    spec: {
      containers: [debugContainer(request, container)],
      nodeName: node,
      restartPolicy: "Never",
      tolerations: [{ operator: "Exists" }],
    },
  };
  debugProfile(request.profile)({ pod: draft, container, style: "node", keep: request.keep });
  applyCustom(draft, "containers", container, request.custom);
  return draft;
}

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
 * Makes a copy of the pod with another container, or with one of its containers changed. `newName` names a container that has no
 * name yet. Without an image no container is added: that throws, unless images of other containers are set.
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
    if (image === "" && request.setImages.size > 0) return { pod: draft, container: "" };
    if (image === "") throw new Error("you must specify image when creating new container");
    name ||= newName(new Set(containersOf(spec).map((one) => text(one["name"]))));
    container = { name, terminationMessagePolicy: "File" };
    spec["containers"] = [...list(spec["containers"]), container];
  }
  change(container, request);
  debugProfile(request.profile)({ pod: draft, container: name, style: "podCopy", keep: request.keep });
  applyCustom(draft, "containers", name, request.custom);
  return { pod: draft, container: name };
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

/** The command line's settings for the debugging container and its pod. */
export interface DebugRequest {
  /** -c, or "". */
  readonly container: string;
  readonly image: string;
  /** What follows --. */
  readonly args: readonly string[];
  /** `args` are arguments of the image's own command. */
  readonly argumentsOnly: boolean;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly pullPolicy: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly profile: string;
  readonly keep: KeepFlags;
  /** Container fields of --custom. */
  readonly custom: ReadonlyFields | undefined;
}

/** A container without its name: empty fields are left out where the object is encoded. */
function debugContainer(request: DebugRequest, name: string): Record<string, unknown> {
  const { image, env, pullPolicy, stdin, tty } = request;
  return {
    name,
    image,
    ...commandOf(request),
    ...(env.length > 0 && { env }),
    ...(pullPolicy !== "" && { imagePullPolicy: pullPolicy }),
    stdin,
    tty,
    terminationMessagePolicy: "File",
  };
}

function commandOf({ args, argumentsOnly }: DebugRequest): { args?: readonly string[]; command?: readonly string[] } {
  if (args.length === 0) return {};
  return argumentsOnly ? { args } : { command: args };
}

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Five letters of Kubernetes' generated names. */
export const randomSuffix = (random: Random): string =>
  [...random.bytes(5)].map((byte) => LETTERS[byte % LETTERS.length]).join("");

/** Makes a name such as "debugger-x2zqk", which no container of the pod has. */
export function newContainerName(taken: ReadonlySet<string>, random: Random): string {
  for (;;) {
    const name = `debugger-${randomSuffix(random)}`;
    if (!taken.has(name)) return name;
  }
}
