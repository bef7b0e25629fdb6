import type { ResourceEntry } from "./data.js";

const GROUP_VERSION = "apiextensions.k8s.io/v1beta1";
const KIND = "CustomResourceDefinition";

/**
 * Resources at versions that 1.36 has removed and that a server still serves when runtimeConfig names the version itself: no
 * class of versions ("api/beta") turns them on. Their types are in `unpublished.ts`.
 */
export const RETIRED_RESOURCES: readonly ResourceEntry[] = [
  {
    groupVersion: GROUP_VERSION,
    name: "customresourcedefinitions",
    singular: "customresourcedefinition",
    kind: KIND,
    definition: `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.${KIND}`,
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    subresources: { status: { kind: `${GROUP_VERSION}/${KIND}`, verbs: ["get", "patch", "update"] } },
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    // That of apiextensions.k8s.io/v1, which is stored.
    storageVersionHash: "M5uH+AlWATY=",
    introduced: "1.7",
    deprecated: "1.16",
    removed: "1.22",
    replacement: `apiextensions.k8s.io,v1,${KIND}`,
  },
];
