import type { PodDecision, RefusalReason } from "../../actions/drain/plan-drain.js";

/** "ignoring DaemonSet-managed Pods: default/a, default/b; ..."; "" when there is nothing to warn of. */
export function warningsOf(decisions: readonly PodDecision[]): string {
  const notes = podsByMessage(decisions, (one) => {
    if (one.decision === "skip" && one.reason === "daemonSet") return "ignoring DaemonSet-managed Pods";
    if (one.decision === "remove" && one.unmanaged) return "deleting Pods that declare no controller";
    return undefined;
  });
  return notes.map(([message, pods]) => `${message}: ${pods}`).join("; ");
}

/** Why no pod may be removed: an error a reason. */
export function errorsOf(decisions: readonly PodDecision[]): readonly Error[] {
  const notes = podsByMessage(decisions, (one) =>
    one.decision === "refuse" ? (one.error?.message ?? REFUSALS[one.reason]) : undefined,
  );
  return notes.map(([message, pods]) => new Error(`cannot delete ${message}: ${pods}`));
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  daemonSet: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonSetUnreadable: "",
  localStorage: "Pods with local storage (use --delete-emptydir-data to override)",
  noController: "Pods that declare no controller (use --force to override)",
};

function podsByMessage(
  decisions: readonly PodDecision[],
  messageOf: (one: PodDecision) => string | undefined,
): readonly (readonly [string, string])[] {
  const notes = new Map<string, string[]>();
  for (const one of decisions) {
    const message = messageOf(one);
    if (message === undefined) continue;
    const { namespace = "", name = "" } = one.pod.metadata ?? {};
    notes.set(message, [...(notes.get(message) ?? []), `${namespace}/${name}`]);
  }
  return [...notes].map(([message, pods]) => [message, pods.join(", ")]);
}
