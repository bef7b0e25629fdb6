import type { ComponentFlag } from "../../component/component-flag.js";

/** The flags of leader election for a program; `program` is the name of its Lease. */
export const leaderElectionFlags = (program: string): readonly ComponentFlag[] => [
  {
    name: "leader-elect",
    type: "bool",
    default: "true",
    usage: "Work only while this process holds the Lease, of several that run the same program.",
  },
  {
    name: "leader-elect-lease-duration",
    type: "duration",
    default: "15s",
    usage: "How long other processes wait, without seeing a renewal, before they take the Lease.",
  },
  {
    name: "leader-elect-renew-deadline",
    type: "duration",
    default: "10s",
    usage: "How long the leader works without a renewal; less than the lease duration.",
  },
  {
    name: "leader-elect-resource-lock",
    type: "string",
    default: "leases",
    usage: "The kind of the object that processes compete for: leases.",
  },
  {
    name: "leader-elect-resource-name",
    type: "string",
    default: program,
    usage: "The name of the Lease.",
  },
  {
    name: "leader-elect-resource-namespace",
    type: "string",
    default: "kube-system",
    usage: "The namespace of the Lease.",
  },
  {
    name: "leader-elect-retry-period",
    type: "duration",
    default: "2s",
    usage: "The pause between two renewals, and between two attempts to take the Lease.",
  },
];
