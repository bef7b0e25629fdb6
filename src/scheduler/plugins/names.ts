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

/** What keeps a pod waiting that met no node at all: not a plugin, but named in the queue as one. */
export const NO_NODES = "NoNodes";
