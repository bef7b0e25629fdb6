import { goQuote } from "../../../../base/text/go-quote.js";
import type { ConfigurationDocument } from "../../../../machinery/wire/configuration-document.js";
import { absent } from "../../../../machinery/meta/received.js";
import { isJsonObject } from "../../../../machinery/meta/json.js";

/** Selectors of nodes, each as text: "region=west,env=test". */
export interface PodNodeSelectorConfiguration {
  /**
   * By namespaces: what the selectors of its pods may have. `clusterDefaultNodeSelector` is the selector of all namespaces without the
   * annotation scheduler.alpha.kubernetes.io/node-selector.
   */
  readonly podNodeSelectorPluginConfig?: Readonly<Record<string, string>>;
}

const FIELD = "podNodeSelectorPluginConfig";

/** The document has no kind and no version. Throws for a value that is no text, which kube-apiserver passes over. */
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
