import { attachablePod } from "../../actions/attachable-pod.js";
import { PODS } from "../../actions/selected-pods.js";
import { containerNames } from "../../polymorphic-helpers/pod-containers.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import type { Completer, Completion } from "../command.js";
import type { Factory } from "../connect/factory.js";
import { NO_FILE_COMP, NO_SPACE } from "./directive.js";
import { objectNames } from "./resource-names.js";

/** Milliseconds to wait for a first pod, while the user waits for candidates. */
const PATIENCE = 100;

/** Types that run pods, for TYPE/NAME. */
const WITH_PODS = [
  "daemonsets",
  "deployments",
  "pods",
  "jobs",
  "replicasets",
  "replicationcontrollers",
  "services",
  "statefulsets",
];

/** Completes a pod or TYPE/NAME. */
export const completePods: Completer = async (factory, { args }, toComplete) =>
  args.length === 0 ? podsAndTypes(factory, toComplete) : { candidates: [], directive: NO_FILE_COMP };

/** Completes a pod or TYPE/NAME, then one of its containers. */
export const completePodsAndContainers: Completer = async (factory, { args }, toComplete) => {
  const [target] = args;
  if (target === undefined) return podsAndTypes(factory, toComplete);
  return args.length > 1 ? { candidates: [], directive: NO_FILE_COMP } : containersOf(factory, target, toComplete);
};

/** Completes a container of the pod that the first operand names. */
export const completeContainers: Completer = async (factory, { args: [target] }, toComplete) =>
  target === undefined ? { candidates: [], directive: NO_FILE_COMP } : containersOf(factory, target, toComplete);

async function containersOf(factory: Factory, target: string, toComplete: string): Promise<Completion> {
  const pod = await podOf(factory, target).catch(() => undefined);
  const names =
    pod === undefined ? [] : [...containerNames(pod, "initContainers"), ...containerNames(pod, "containers")];
  return { candidates: names.filter((name) => name.startsWith(toComplete)), directive: NO_FILE_COMP };
}

async function podsAndTypes(factory: Factory, toComplete: string): Promise<Completion> {
  const slash = toComplete.indexOf("/");
  if (slash >= 0) {
    const [type, prefix] = [toComplete.slice(0, slash), toComplete.slice(slash + 1)];
    const names = (await objectNames(factory, type)).filter((name) => name.startsWith(prefix));
    return { candidates: names.map((name) => `${type}/${name}`), directive: NO_FILE_COMP };
  }
  const pods = (await objectNames(factory, "pod")).filter((name) => name.startsWith(toComplete));
  const types = WITH_PODS.filter((type) => type.startsWith(toComplete)).map((type) => `${type}/`);
  return { candidates: [...pods, ...types], directive: pods.length === 0 ? NO_FILE_COMP | NO_SPACE : NO_FILE_COMP };
}

/** Returns the pod that an operand names, or the most active pod of the workload or service that it names. */
export async function podOf(factory: Factory, target: string): Promise<KubeObject | undefined> {
  const { namespace } = await factory.namespace();
  const builder = (await factory.builder()).continueOnError().namespaceParam(namespace).defaultNamespace();
  const [info] = await (await builder.resourceNames("pods", [target]).do()).infos();
  if (info?.object === undefined || !target.includes("/")) return info?.object;
  const client = await factory.restClient();
  const pod = await attachablePod(info, { client, timeout: PATIENCE });
  // kubectl asks again, by the name.
  return new Helper(client, PODS).get(namespace, pod.metadata?.name ?? "");
}
