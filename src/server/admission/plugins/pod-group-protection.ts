import type { AdmissionPlugin } from "../plugin.js";
import { addFinalizer } from "./add-finalizer.js";
import { createsPodGroups } from "./pod-groups.js";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";

/** Keeps new PodGroups from being removed while pods belong to them. */
export const podGroupProtection: AdmissionPlugin = {
  name: "PodGroupProtection",
  handles: createsPodGroups,
  admit({ object: group }) {
    if (group !== undefined) addFinalizer(group, FINALIZER);
  },
};
