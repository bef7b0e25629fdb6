import type { PluginFactory } from "../framework/plugin.js";
import { resizeSumsOf } from "../../api/pods/pod-total.js";
import { defaultBinder } from "./default-binder.js";
import { dynamicResources } from "./dynamic-resources/dynamic-resources.js";
import { imageLocality } from "./image-locality.js";
import { interPodAffinity, type InterPodAffinityArgs } from "./inter-pod-affinity/inter-pod-affinity.js";
import { PLUGIN } from "./names.js";
import { nodeAffinity, type NodeAffinityArgs } from "./node-affinity.js";
import { nodeName, nodePorts, nodeUnschedulable } from "./node-filters.js";
import { balancedAllocation, type BalancedAllocationArgs } from "./node-resources/balanced-allocation.js";
import { nodeResourcesFit, type NodeResourcesFitArgs } from "./node-resources/fit.js";
import { defaultPreemption, type DefaultPreemptionArgs } from "./preemption/default-preemption.js";
import { prioritySort, schedulingGates } from "./queue-plugins.js";
import { taintToleration } from "./taint-toleration.js";
import { podTopologySpread, type PodTopologySpreadArgs } from "./topology-spread/pod-topology-spread.js";

import { nodeVolumeLimits } from "./volumes/node-volume-limits.js";
import { volumeBinding, type VolumeBindingArgs } from "./volumes/volume-binding.js";
import { volumeRestrictions } from "./volumes/volume-restrictions.js";
import { volumeZone } from "./volumes/volume-zone.js";

export interface DefaultPlugin {
  readonly name: string;
  readonly weight: number;
  readonly create: PluginFactory;
}

/** kube-scheduler's plugins in its order, with its weights. */
export const DEFAULT_PLUGINS: readonly DefaultPlugin[] = [
  { name: PLUGIN.schedulingGates, weight: 1, create: schedulingGates },
  { name: PLUGIN.prioritySort, weight: 1, create: prioritySort },
  { name: PLUGIN.nodeUnschedulable, weight: 1, create: nodeUnschedulable },
  { name: PLUGIN.nodeName, weight: 1, create: nodeName },
  { name: PLUGIN.taintToleration, weight: 3, create: taintToleration },
  { name: PLUGIN.nodeAffinity, weight: 2, create: (_handle, args) => nodeAffinity(args as NodeAffinityArgs) },
  { name: PLUGIN.nodePorts, weight: 1, create: nodePorts },
  {
    name: PLUGIN.nodeResourcesFit,
    weight: 1,
    create: ({ release }, args) => nodeResourcesFit(args as NodeResourcesFitArgs, release && resizeSumsOf(release)),
  },
  { name: PLUGIN.volumeRestrictions, weight: 1, create: volumeRestrictions },
  { name: PLUGIN.nodeVolumeLimits, weight: 1, create: nodeVolumeLimits },
  {
    name: PLUGIN.volumeBinding,
    weight: 1,
    create: (handle, args) => volumeBinding(handle, args as VolumeBindingArgs),
  },
  { name: PLUGIN.volumeZone, weight: 1, create: volumeZone },
  {
    name: PLUGIN.podTopologySpread,
    weight: 2,
    create: (handle, args) => podTopologySpread(handle, args as PodTopologySpreadArgs),
  },
  {
    name: PLUGIN.interPodAffinity,
    weight: 2,
    create: (handle, args) => interPodAffinity(handle, args as InterPodAffinityArgs),
  },
  { name: PLUGIN.dynamicResources, weight: 1, create: dynamicResources },
  {
    name: PLUGIN.defaultPreemption,
    weight: 1,
    create: (handle, args) => defaultPreemption(handle, args as DefaultPreemptionArgs),
  },
  {
    name: PLUGIN.nodeResourcesBalancedAllocation,
    weight: 1,
    create: (_handle, args) => balancedAllocation(args as BalancedAllocationArgs),
  },
  { name: PLUGIN.imageLocality, weight: 1, create: imageLocality },
  { name: PLUGIN.defaultBinder, weight: 1, create: defaultBinder },
];
