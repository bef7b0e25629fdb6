/** On a claim: it was bound once, and loses its data when its volume goes. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** On a claim or a volume: the binder chose its partner, not the user. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** On a volume: the name of the provisioner that made it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** On a claim: the node that the scheduler has chosen for the first pod that uses it. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** On a claim: the provisioner that is to make its volume; the second is the name before 1.23. */
export const STORAGE_PROVISIONER = [
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
] as const;
/** On a StorageClass: claims that name no class get it. */
export const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
