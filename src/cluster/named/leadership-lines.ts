import type { LeadershipEvent } from "../index.js";

const WORK = {
  "kube-system/kube-controller-manager": "controllers",
  "kube-system/kube-scheduler": "scheduler",
} as const;

/**
 * Makes lines of what happens in elections. A server that leads at once and is stopped in the end says nothing: it is as if there were no
 * election.
 */
export function leadershipLines(): (event: LeadershipEvent) => string | undefined {
  /** The Leases of which something was said. */
  const told = new Set<string>();
  return (event) => {
    const { type, lease } = event;
    if (type === "request") return undefined;
    const work = WORK[lease as keyof typeof WORK];
    if (type === "began") return told.has(lease) ? `${work}: this server leads now, by Lease ${lease}` : undefined;
    if (type === "ended" && event.reason === undefined) return undefined;
    told.add(lease);
    if (type === "ended") return `${work}: this server no longer leads: ${event.reason}`;
    const until = new Date(event.until).toISOString().replace(/\.\d+/, "");
    return `${work}: waiting for Lease ${lease}, which ${event.holder} holds until ${until} unless it renews it`;
  };
}
