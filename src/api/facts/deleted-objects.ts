/**
 * Resources whose DELETE is answered with the object, where others are answered with a Status (ReturnDeletedObject in the storages of
 * kube-apiserver 1.36), as "<group>/<resource>".
 */
const RETURNED: ReadonlySet<string> = new Set([
  "/persistentvolumeclaims",
  "/persistentvolumes",
  "/pods",
  "/podtemplates",
  "/resourcequotas",
  "/serviceaccounts",
  "/services",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/devicetaintrules",
  "resource.k8s.io/resourceclaims",
  "resource.k8s.io/resourceclaimtemplates",
  "resource.k8s.io/resourceslices",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/storageclasses",
  "storage.k8s.io/volumeattachments",
  "storage.k8s.io/volumeattributesclasses",
]);

export const returnsDeletedObject = (group: string, resource: string): boolean => RETURNED.has(`${group}/${resource}`);
