import type { Node, Pod, Toleration } from "../../api/types/core/v1.js";
import { Action } from "../framework/cluster-event.js";
import { normalizeScores, type SchedulerPlugin } from "../framework/plugin.js";
import { unresolvable } from "../framework/status.js";
import { PLUGIN } from "./names.js";
import { isTolerated, untolerated } from "../../api/scheduling/taints.js";

const REJECTED = unresolvable(PLUGIN.taintToleration, "node(s) had untolerated taint(s)");
const STATE = PLUGIN.taintToleration;

/** Rejects nodes with taints that the pod does not tolerate, and prefers nodes with fewer PreferNoSchedule taints that it does not tolerate. */
export function taintToleration(): SchedulerPlugin {
  const fits = (node: Node, pod: Pod): boolean =>
    untolerated(node.spec?.taints ?? [], pod.spec?.tolerations) === undefined;
  return {
    name: PLUGIN.taintToleration,
    events: [
      {
        resource: "Node",
        action: Action.add | Action.nodeTaint,
        hint: (pod, before, after) => fits(after as Node, pod) && (before === undefined || !fits(before as Node, pod)),
      },
      {
        resource: "UnscheduledPod",
        action: Action.podToleration,
        hint: (pod, _before, after) => pod.metadata?.uid === (after as Pod).metadata?.uid,
      },
    ],
    filter(_state, { pod }, { taints }) {
      if (taints.length === 0) return undefined;
      return untolerated(taints, pod.spec?.tolerations) === undefined ? undefined : REJECTED;
    },
    preScore(state, { pod }) {
      const tolerations = pod.spec?.tolerations ?? [];
      const relevant = tolerations.filter(({ effect }) => !effect || effect === "PreferNoSchedule");
      state.write(STATE, relevant);
      return undefined;
    },
    score(state, _info, { taints }) {
      if (taints.length === 0) return 0;
      const tolerations = state.read<readonly Toleration[]>(STATE);
      let count = 0;
      for (const taint of taints) {
        if (taint.effect === "PreferNoSchedule" && !isTolerated(taint, tolerations)) count++;
      }
      return count;
    },
    normalize: (_state, _info, scores) => normalizeScores(scores, true),
  };
}
