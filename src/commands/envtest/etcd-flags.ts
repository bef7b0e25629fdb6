import type { FlagSpec, FlagType } from "../../component/flags/flag-set.js";

const KEEPS_NOTHING = "No effect here: the stand-in keeps nothing.";
const without = (type: FlagType, ...names: readonly string[]): readonly FlagSpec[] =>
  names.map((name) => ({ name, type, usage: KEEPS_NOTHING }));

/** The flags of etcd that the stand-in takes. */
export const etcdFlags: readonly FlagSpec[] = [
  {
    name: "listen-client-urls",
    type: "stringSlice",
    default: "[http://localhost:2379]",
    usage: "Where the health check is answered: http://host:port, several separated by commas.",
  },
  {
    name: "max-request-bytes",
    type: "int",
    default: "1572864",
    usage: "The largest request that etcd takes: kubets in the place of kube-apiserver refuses larger objects.",
  },
  ...without(
    "string",
    "advertise-client-urls",
    "auto-compaction-mode",
    "auto-compaction-retention",
    "backend-batch-interval",
    "backend-batch-limit",
    "data-dir",
    "election-timeout",
    "heartbeat-interval",
    "initial-advertise-peer-urls",
    "initial-cluster",
    "initial-cluster-state",
    "initial-cluster-token",
    "listen-metrics-urls",
    "listen-peer-urls",
    "log-level",
    "log-outputs",
    "logger",
    "max-txn-ops",
    "metrics",
    "name",
    "quota-backend-bytes",
    "snapshot-count",
    "wal-dir",
  ),
  ...without("bool", "force-new-cluster", "pre-vote", "unsafe-no-fsync"),
  { name: "help", short: "h", type: "bool", usage: "Print this help." },
];
