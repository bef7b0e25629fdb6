/** What 1.36 writes and 1.20 does not. */
export const LATER: readonly { readonly field: RegExp; readonly reason: string }[] = [
  {
    field: /^(Deployment|ReplicaSet) .*: status\.terminatingReplicas = /,
    reason: "DeploymentReplicaSetTerminatingReplicas, on since 1.35",
  },
  { field: /^StatefulSet .*: status\.availableReplicas = /, reason: "with minReadySeconds, 1.22" },
  { field: /^Pod .*: metadata\.labels\.apps\.kubernetes\.io\/pod-index = /, reason: "PodIndexLabel, 1.28" },
];
