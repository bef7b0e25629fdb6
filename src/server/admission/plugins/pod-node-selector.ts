import type { Pod } from "../../../api/types/core/v1.js";
import { forbidden, internalError } from "../../../machinery/errors/status-error.js";
import { type DraftObject, ensureChild, object, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling } from "../handling.js";
import type { AdmissionContext, AdmissionPlugin } from "../plugin.js";
import type { PodNodeSelectorConfiguration } from "./pod-node-selector/read-configuration.js";
import { conflict, isAllowed, type SelectorMap, selectorMap } from "./pod-node-selector/selector-map.js";

const ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector";
const CLUSTER = "clusterDefaultNodeSelector";

/** New pods get the node selector of their namespace, or the cluster's, and may select only what their namespace allows. */
export function podNodeSelector(configuration: PodNodeSelectorConfiguration = {}): AdmissionPlugin {
  const { podNodeSelectorPluginConfig: selectors = {} } = configuration;
  const configured = (name: string): SelectorMap =>
    selectorMap(Object.hasOwn(selectors, name) ? (selectors[name] ?? "") : "");

  async function namespaceSelector({ namespace }: AdmissionAttributes, context: AdmissionContext) {
    const found = await namespaceOf(namespace, context);
    const annotated = found.metadata?.annotations?.[ANNOTATION];
    return annotated === undefined ? configured(CLUSTER) : selectorMap(annotated);
  }

  function check(pod: ReceivedObject<Pod>, namespace: string, selector: SelectorMap): void {
    const labels = selectorOf(pod);
    if (conflict(selector, labels)) {
      throw refused(pod, "pod node label selector conflicts with its namespace node label selector");
    }
    if (!isAllowed(labels, configured(namespace))) {
      throw refused(pod, "pod node label selector labels conflict with its namespace whitelist");
    }
  }

  return {
    name: "PodNodeSelector",
    handles: handling(["CREATE"], "pods"),
    async admit(attributes, context) {
      const { namespace } = attributes;
      const pod: DraftObject<Pod> | undefined = attributes.object;
      if (pod === undefined) return;
      const selector = await namespaceSelector(attributes, context);
      const labels = selectorOf(pod);
      // The pod's own labels stay where they contradict the namespace's: what follows refuses them.
      const merged = { ...selector, ...labels };
      if (Object.keys(merged).length > 0) ensureChild(pod, "spec").nodeSelector = merged;
      check(pod, namespace, selector);
    },
    async validate(attributes, context) {
      const { object: pod, namespace } = attributes;
      if (pod !== undefined) check(pod, namespace, await namespaceSelector(attributes, context));
    },
  };
}

const selectorOf = (pod: ReceivedObject<Pod>): SelectorMap => object(object(pod.spec).nodeSelector) as SelectorMap;

const refused = ({ metadata }: ReceivedObject<Pod>, message: string) =>
  forbidden({ group: "", resource: "pods" }, metadata?.name ?? "", message);

/** Unlike other plugins kube-apiserver answers 500 for a namespace that does not exist. */
async function namespaceOf(name: string, { objects }: AdmissionContext): Promise<KubeObject> {
  const wanted = ["", "namespaces", "", name] as const;
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  if (found === undefined) throw internalError(`namespace ${name} does not exist`);
  return found;
}
