/**
 * The controllers that make no objects of workloads: with them a session meets its own writes and no others, so that two clusters
 * of one seed stay equal to the byte.
 */
export const quietControllers: readonly string[] = [
  "certificatesigningrequest-signing-controller",
  "disruption-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "pod-garbage-collector-controller",
  "root-ca-certificate-publisher-controller",
  "service-cidr-controller",
  "serviceaccount-controller",
  "validatingadmissionpolicy-status-controller",
];
