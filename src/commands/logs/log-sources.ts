import type { PodLogOptions, PodLogRequest } from "../../actions/pod-log.js";
import { selectedPods } from "../../actions/selected-pods.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import {
  allContainerNames,
  containerNames,
  DEFAULT_CONTAINER,
  hasContainer,
  noSuchContainer,
} from "../../polymorphic-helpers/pod-containers.js";
import { byLogging } from "../../polymorphic-helpers/pod-order.js";
import { podSelectorOf } from "../../polymorphic-helpers/selector.js";
import { goSort } from "../../base/collections/go-sort.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { isList, listItems } from "../../resource/lists.js";

export interface LogSourceOptions {
  readonly client: RestClient;
  readonly log: PodLogOptions;
  readonly allContainers: boolean;
  readonly allPods: boolean;
  /** Milliseconds to wait for a pod, where there is none. */
  readonly podTimeout: number;
  /** Told which of several pods or containers was taken. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Finds the logs of a pod, of the pods in a list, or of the pods that an object runs. */
export async function logSources(info: Info, options: LogSourceOptions): Promise<readonly PodLogRequest[]> {
  const { object = {}, mapping } = info;
  if (isList(object)) return ofPods(listItems(object), options);
  if (mapping.kind.kind === "Pod" && mapping.kind.group === "") return ofPod(object, options);
  return ofPods(await podsOf(info, options), options);
}

/** The selector of the pods that an object runs. */
export function loggedPodSelector({ object = {}, mapping }: Info): string {
  try {
    return podSelectorOf(mapping.kind, object);
  } catch (error) {
    const type = `*${mapping.kind.version}.${mapping.kind.kind}`;
    throw new Error(`cannot get the logs from ${type}: ${(error as Error).message}`, { cause: error });
  }
}

async function podsOf(info: Info, options: LogSourceOptions): Promise<readonly KubeObject[]> {
  const { object = {} } = info;
  const selector = loggedPodSelector(info);
  const where = { ...options, namespace: object.metadata?.namespace ?? "", selector, timeout: options.podTimeout };
  const select = async (): Promise<readonly KubeObject[]> => {
    const pods = [...(await selectedPods(where))];
    goSort(pods, byLogging);
    return pods;
  };
  const pods = await select();
  if (pods.length <= 1) return pods;
  // kubectl looks twice.
  if (options.allPods) return select();
  const first = pods.slice(0, 1);
  options.say(`Found ${pods.length} pods, using pod/${first[0]?.metadata?.name ?? ""}`);
  return first;
}

const ofPods = (pods: readonly KubeObject[], options: LogSourceOptions): readonly PodLogRequest[] =>
  pods.flatMap((pod) => ofPod(pod, options));

/** The log requests of one pod: for the chosen container, or for all. Throws where the pod lacks the container. */
export function ofPod(pod: KubeObject, options: LogSourceOptions): readonly PodLogRequest[] {
  if (!options.allContainers) return [ofContainer(pod, chosenContainer(pod, options), options)];
  const fields = ["initContainers", "containers", "ephemeralContainers"] as const;
  return fields.flatMap((field) => containerNames(pod, field).map((name) => ofContainer(pod, name, options)));
}

/** The one asked for, the pod's own default, or its first. */
function chosenContainer(pod: KubeObject, { log, allPods, say }: LogSourceOptions): string {
  const { container = "" } = log;
  if (container !== "") return container;
  const { name = "", annotations } = pod.metadata ?? {};
  const preset = annotations?.[DEFAULT_CONTAINER] ?? "";
  if (preset !== "" && hasContainer(pod, preset)) return preset;
  if (preset !== "") say(`Default container name ${goQuote(preset)} not found in pod ${name}`);
  const containers = containerNames(pod, "containers");
  const [first = ""] = containers;
  const others =
    containers.length -
    1 +
    containerNames(pod, "initContainers").length +
    containerNames(pod, "ephemeralContainers").length;
  if (others > 0 && !allPods) say(`Defaulted container ${goQuote(first)} out of: ${allContainerNames(pod)}`);
  return first;
}

function ofContainer(pod: KubeObject, container: string, { log }: LogSourceOptions): PodLogRequest {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  if (!hasContainer(pod, container)) throw noSuchContainer(pod, container);
  return { namespace, pod: name, options: { ...log, container } };
}
