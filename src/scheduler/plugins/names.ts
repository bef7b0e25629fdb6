/** kube-scheduler's names of its plugins. */
export const PLUGIN = {
  schedulingGates: "SchedulingGates",
  prioritySort: "PrioritySort",
  nodeUnschedulable: "NodeUnschedulable",
  nodeName: "NodeName",
  taintToleration: "TaintToleration",
  nodeAffinity: "NodeAffinity",
  nodePorts: "NodePorts",
  nodeResourcesFit: "NodeResourcesFit",
  volumeRestrictions: "VolumeRestrictions",
  nodeVolumeLimits: "NodeVolumeLimits",
  volumeBinding: "VolumeBinding",
  volumeZone: "VolumeZone",
  podTopologySpread: "PodTopologySpread",
  interPodAffinity: "InterPodAffinity",
  dynamicResources: "DynamicResources",
  defaultPreemption: "DefaultPreemption",
  nodeResourcesBalancedAllocation: "NodeResourcesBalancedAllocation",
  imageLocality: "ImageLocality",
  defaultBinder: "DefaultBinder",
} as const;

/** The name by which the queue records that a pod had no node at all to be tried on; it is not a plugin. */
export const NO_NODES = "NoNodes";
