import type { Pod } from "../../../api/types/core/v1.js";
import { type DraftObject, ensureChild, objects, text } from "../../../machinery/meta/received.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";

/** Whole seconds; kube-apiserver has a flag of each name. */
export interface DefaultTolerationSecondsConfiguration {
  readonly defaultNotReadyTolerationSeconds?: number;
  readonly defaultUnreachableTolerationSeconds?: number;
}

/**
 * A pod stays for five minutes, or the configured time, on a node that is not ready or not reachable, unless it says itself
 * how it takes that.
 */
export function defaultTolerationSeconds(configuration: DefaultTolerationSecondsConfiguration = {}): AdmissionPlugin {
  const { defaultNotReadyTolerationSeconds = 300, defaultUnreachableTolerationSeconds = 300 } = configuration;
  const taints = [
    { key: "node.kubernetes.io/not-ready", tolerationSeconds: defaultNotReadyTolerationSeconds },
    { key: "node.kubernetes.io/unreachable", tolerationSeconds: defaultUnreachableTolerationSeconds },
  ];
  return {
    name: "DefaultTolerationSeconds",
    handles: handling(WRITES, "pods"),
    admit(attributes) {
      const pod: DraftObject<Pod> | undefined = attributes.object;
      if (pod === undefined) return;
      const spec = ensureChild(pod, "spec");
      const tolerations = objects(spec.tolerations);
      const missing = taints.filter(
        ({ key }) =>
          !tolerations.some(
            (toleration) =>
              (toleration.key === key || text(toleration.key) === "") &&
              (toleration.effect === "NoExecute" || text(toleration.effect) === ""),
          ),
      );
      if (missing.length === 0) return;
      const added = missing.map(({ key, tolerationSeconds }) => ({
        key,
        operator: "Exists" as const,
        effect: "NoExecute" as const,
        tolerationSeconds,
      }));
      spec.tolerations = [...tolerations, ...added];
    },
  };
}
