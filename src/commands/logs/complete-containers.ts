import type { Completer, Completion } from "../../cli/command.js";
import { NO_FILE_COMP, NO_SPACE } from "../../cli/completion/directive.js";
import { objectNames } from "../../cli/completion/resource-names.js";
import type { Factory } from "../../cli/factory.js";
import { PODS, selectedPods } from "../../actions/selected-pods.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { containerNames } from "../../kinds/pod-containers.js";
import { byLogging } from "../../kinds/pod-order.js";
import { podSelectorOf } from "../../kinds/selector.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { goSort } from "../../base/go-sort.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";

/** Milliseconds to wait for a first pod, while somebody waits for candidates. */
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

/** A pod or TYPE/NAME, then a container of it. */
export const completePodsAndContainers: Completer = async (factory, { args }, toComplete) => {
  const [target] = args;
  if (target === undefined) return completePods(factory, toComplete);
  if (args.length > 1) return { candidates: [], directive: NO_FILE_COMP };
  const pod = await podOf(factory, target).catch(() => undefined);
  const names =
    pod === undefined ? [] : [...containerNames(pod, "initContainers"), ...containerNames(pod, "containers")];
  return { candidates: names.filter((name) => name.startsWith(toComplete)), directive: NO_FILE_COMP };
};

async function completePods(factory: Factory, toComplete: string): Promise<Completion> {
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

async function podOf(factory: Factory, target: string): Promise<KubeObject | undefined> {
  const { namespace } = await factory.namespace();
  const builder = (await factory.builder()).continueOnError().namespaceParam(namespace).defaultNamespace();
  const [info] = await (await builder.resourceNames("pods", [target]).do()).infos();
  if (info?.object === undefined || !target.includes("/")) return info?.object;
  const client = await factory.restClient();
  const name = info.mapping.kind.kind === "Pod" ? info.name : await firstPodOf(info, client);
  // kubectl asks again, by the name.
  return new Helper(client, PODS).get(namespace, name);
}

async function firstPodOf({ mapping, object = {} }: Info, client: RestClient): Promise<string> {
  const where = { client, namespace: object.metadata?.namespace ?? "", timeout: PATIENCE };
  const pods = [...(await selectedPods({ ...where, selector: podSelectorOf(mapping.kind, object) }))];
  goSort(pods, byLogging);
  return pods[0]?.metadata?.name ?? "";
}
