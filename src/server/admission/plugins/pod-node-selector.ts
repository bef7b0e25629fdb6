import type { Pod } from "../../../api/types/core/v1.js";
import { forbidden, internalError, unclassified } from "../../../machinery/errors/status-error.js";
import {
  type DraftObject,
  ensureChild,
  object,
  type ReceivedObject,
  absent,
} from "../../../machinery/meta/received.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { ConfigurationDocument } from "../../../machinery/wire/configuration-document.js";
import { isJsonObject } from "../../../machinery/meta/json.js";
import { formatFieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { labelValueErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";

/** Selectors of nodes, each as text: "region=west,env=test". */
export interface PodNodeSelectorConfiguration {
  /**
   * By namespaces: what the selectors of its pods may have. `clusterDefaultNodeSelector` is the selector of all namespaces without the
   * annotation scheduler.alpha.kubernetes.io/node-selector.
   */
  readonly podNodeSelectorPluginConfig?: Readonly<Record<string, string>>;
}

const ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector";
const CLUSTER = "clusterDefaultNodeSelector";

/**
 * Adds the node selector of the namespace, or the cluster's default, to new pods. Rejects a pod whose selector conflicts with it
 * or is not allowed in the namespace.
 */
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

const FIELD = "podNodeSelectorPluginConfig";

/** Reads the configuration, whose document has no kind and no version. Throws for a value that is not a text, which kube-apiserver ignores. */
export function readPodNodeSelectorConfiguration({ value }: ConfigurationDocument): PodNodeSelectorConfiguration {
  const selectors = isJsonObject(value) ? value[FIELD] : undefined;
  if (absent(selectors)) return {};
  if (!isJsonObject(selectors)) throw new Error(`${FIELD} must be a map of texts`);
  const entries = Object.entries(selectors).map(([name, selector]): [string, string] => {
    if (typeof selector === "string") return [name, selector];
    throw new Error(`${FIELD}[${goQuote(name)}] must be a text like "region=west,env=test"`);
  });
  return { [FIELD]: Object.fromEntries(entries) };
}

type SelectorMap = Readonly<Record<string, string>>;

/** "region=west,env=test" as a map. Throws in apimachinery's words; kube-apiserver's error has no reason. */
function selectorMap(selector: string): SelectorMap {
  if (selector === "") return {};
  const entries = selector.split(",").map((label): [string, string] => {
    const parts = label.split("=");
    if (parts.length !== 2) throw unclassified(`invalid selector: [${parts.join(" ")}]`);
    const [key = "", value = ""] = parts.map((part) => part.trim());
    check("<nil>", key, qualifiedNameErrors(key));
    check(`[${key}]`, value, labelValueErrors(value));
    return [key, value];
  });
  return Object.fromEntries(entries);
}

function check(path: string, value: string, problems: readonly string[]): void {
  if (problems.length > 0) throw unclassified(formatFieldError(invalidValue(path, value, problems.join("; "))));
}

/** Whether two maps have a key in common and disagree about it. */
const conflict = (one: SelectorMap, other: SelectorMap): boolean =>
  Object.entries(one).some(([key, value]) => Object.hasOwn(other, key) && other[key] !== value);

/** Whether a map has nothing that a whitelist does not have. An empty whitelist allows all. */
const isAllowed = (labels: SelectorMap, whitelist: SelectorMap): boolean =>
  Object.keys(whitelist).length === 0 ||
  Object.entries(labels).every(([key, value]) => Object.hasOwn(whitelist, key) && whitelist[key] === value);
