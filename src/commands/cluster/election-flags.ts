import type { Invocation } from "../../cli/command.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** --leader-elect, as kube-controller-manager and kube-scheduler have it, and --scheduler. */
export const electionFlags: readonly FlagSpec[] = [
  {
    name: "leader-elect",
    type: "bool",
    default: "true",
    usage:
      "Of the servers that share an etcd, let one at a time run the controllers, and one the scheduler, for this start. In memory and on disk there is one server and no election.",
  },
  {
    name: "scheduler",
    type: "bool",
    default: "true",
    usage: "Run the scheduler, for this start. Without it pods wait for one from elsewhere.",
  },
];

/** What {@link electionFlags} say; nothing of what they do not say. */
export function electionOf({ flags }: Invocation): { readonly leaderElect?: boolean; readonly scheduler?: false } {
  return {
    ...(flags.changed("leader-elect") && { leaderElect: flags.bool("leader-elect") }),
    ...(!flags.bool("scheduler") && { scheduler: false as const }),
  };
}
