import type { Pod } from "../../api/types/core/v1.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";

interface Known {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelector;
}

/** The selectors of the scales of all autoscalers: no two may select the same pods. */
export class AutoscalerSelectors {
  readonly #known = new Map<string, Known>();

  /** Remembers an autoscaler's selector; returns what is wrong where others select one of `pods`, which it selects. */
  put(known: Known, text: string, pods: readonly Pod[]): string | undefined {
    this.#known.set(`${known.namespace}/${known.name}`, known);
    const others = [...this.#known.values()].filter(
      ({ namespace, selector }) =>
        namespace === known.namespace && pods.some(({ metadata }) => selector.matches(metadata?.labels)),
    );
    if (others.length < 2) return undefined;
    const names = others.map(({ name, namespace }) => `{${name} ${namespace}}`).toSorted();
    return `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`;
  }

  forget(namespace: string, name: string): void {
    this.#known.delete(`${namespace}/${name}`);
  }
}
