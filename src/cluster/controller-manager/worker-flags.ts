import { type ComponentFlag, withoutEffect } from "../../component/component-flag.js";
import { positive } from "./flag-parts.js";

/** The flags for the number of objects that a controller reconciles at the same time. */
export const WORKERS: readonly {
  readonly flag: string;
  readonly section: string;
  readonly workers: number;
  readonly what: string;
  /** As of a {@link ComponentFlag}. */
  readonly since?: string;
}[] = [
  { flag: "concurrent-cron-job-syncs", section: "cronjob-controller", workers: 5, what: "CronJobs" },
  { flag: "concurrent-daemonset-syncs", section: "daemonset-controller", workers: 2, what: "DaemonSets" },
  { flag: "concurrent-deployment-syncs", section: "deployment-controller", workers: 5, what: "Deployments" },
  {
    flag: "concurrent-disruption-syncs",
    section: "disruption-controller",
    workers: 1,
    what: "PodDisruptionBudgets",
    since: "1.37",
  },
  { flag: "concurrent-endpoint-syncs", section: "endpoints-controller", workers: 5, what: "Endpoints" },
  { flag: "concurrent-gc-syncs", section: "garbage-collector-controller", workers: 20, what: "dependents" },
  {
    flag: "concurrent-horizontal-pod-autoscaler-syncs",
    section: "horizontal-pod-autoscaler-controller",
    workers: 5,
    what: "HorizontalPodAutoscalers",
  },
  { flag: "concurrent-job-syncs", section: "job-controller", workers: 5, what: "Jobs" },
  { flag: "concurrent-namespace-syncs", section: "namespace-controller", workers: 10, what: "deleted namespaces" },
  {
    flag: "concurrent-rc-syncs",
    section: "replicationcontroller-controller",
    workers: 5,
    what: "ReplicationControllers",
  },
  { flag: "concurrent-replicaset-syncs", section: "replicaset-controller", workers: 5, what: "ReplicaSets" },
  {
    flag: "concurrent-resource-quota-syncs",
    section: "resourcequota-controller",
    workers: 5,
    what: "ResourceQuotas",
  },
  {
    flag: "concurrent-service-endpoint-syncs",
    section: "endpointslice-controller",
    workers: 5,
    what: "Services with EndpointSlices",
  },
  {
    flag: "concurrent-serviceaccount-token-syncs",
    section: "serviceaccount-token-controller",
    workers: 5,
    what: "Secrets with tokens",
  },
  { flag: "concurrent-statefulset-syncs", section: "statefulset-controller", workers: 5, what: "StatefulSets" },
  {
    flag: "concurrent-ttl-after-finished-syncs",
    section: "ttl-after-finished-controller",
    workers: 5,
    what: "finished Jobs",
  },
  {
    flag: "mirroring-concurrent-service-endpoint-syncs",
    section: "endpointslice-mirroring-controller",
    workers: 5,
    what: "mirrored Endpoints",
  },
];

/** The flags of {@link WORKERS} for one controller. */
export const syncs = (controller: string): readonly ComponentFlag[] =>
  WORKERS.filter(({ section }) => section === controller).map(({ flag, workers, what, since }) => ({
    name: flag,
    type: "int32",
    default: String(workers),
    usage: `How many ${what} are synchronized at a time.`,
    check: positive,
    ...(since !== undefined && { since }),
  }));

/** The flag of a controller that reconciles one object after the other. */
export const oneWorker = (flag: string, workers: number, what: string): ComponentFlag =>
  withoutEffect(
    flag,
    "int32",
    String(workers),
    `How many ${what} are synchronized at a time.`,
    "the controller synchronizes one after the other",
  );
