import type { ClusterOptions } from "../../src/cluster/index.js";

/**
 * A cluster without a scheduler, and with those controllers alone that make no objects of workloads: a session meets its own writes
 * and no others, so that two clusters of one seed stay equal to the byte.
 */
export const quietCluster: Pick<ClusterOptions, "controllers" | "scheduler"> = {
  controllers: [
    "certificatesigningrequest-signing-controller",
    "disruption-controller",
    "garbage-collector-controller",
    "namespace-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "pod-garbage-collector-controller",
    "podgroup-protection-controller",
    "root-ca-certificate-publisher-controller",
    "service-cidr-controller",
    "serviceaccount-controller",
    "validatingadmissionpolicy-status-controller",
    "volumeattributesclass-protection-controller",
  ],
  scheduler: false,
};

/** Nodes that a test makes are ready at once: no controller takes away the taint that the plugin gives each new node. */
export const readyNodes: Pick<ClusterOptions, "admission"> = { admission: { disable: ["TaintNodesByCondition"] } };
