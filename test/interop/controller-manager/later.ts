import { statefulSet, type Step, template } from "./scenario.js";
import { type Seen, pods } from "./seen.js";

/** Fields that 1.36 writes and 1.20 does not. */
export const LATER: readonly { readonly field: RegExp; readonly reason: string }[] = [
  {
    field: /^(Deployment|ReplicaSet) .*: status\.terminatingReplicas = /,
    reason: "DeploymentReplicaSetTerminatingReplicas, on since 1.35",
  },
  { field: /^StatefulSet .*: status\.availableReplicas = /, reason: "minReadySeconds of StatefulSets, 1.22" },
  { field: /^Pod .*: metadata\.labels\.apps\.kubernetes\.io\/pod-index = /, reason: "PodIndexLabel, 1.28" },
];

/**
 * What 1.20 cannot do, and ours does as 1.36. Of the same kind, and not played: surge of DaemonSets (1.22), minReadySeconds of
 * StatefulSets (1.23), maxUnavailable of StatefulSets (1.24). Hashes of pod templates differ, because they are of Go's struct, which
 * has more fields in 1.36; names show them masked. Events of a change of size say from which size only in later versions.
 */
export const BEYOND: readonly {
  readonly title: string;
  readonly steps: readonly Step["act"][];
  /** Whether the controllers can do it. */
  readonly done: (seen: Seen) => boolean;
}[] = [
  {
    title: "StatefulSets whose ordinals do not start at 0 (1.27)",
    steps: [({ create }) => create(statefulSet({ ordinals: { start: 5 } }))],
    done: (seen) => pods(3, 3)(seen) && seen.pods.every(({ metadata }) => /web-[567]$/.test(metadata?.name ?? "")),
  },
  {
    title: "claims that go when their StatefulSet shrinks (1.27)",
    steps: [
      ({ create }) =>
        create(
          statefulSet({
            replicas: 2,
            template: template(),
            persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
            volumeClaimTemplates: [
              {
                metadata: { name: "data" },
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            ],
          }),
        ),
      ({ patch }) => patch("StatefulSet", "web", { spec: { replicas: 1 } }),
    ],
    done: (seen) => pods(1, 1)(seen) && seen.claims.length === 1,
  },
];
