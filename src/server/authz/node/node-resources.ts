import type { AuthorizerAttributes, Decision } from "../authorizer.js";

/** The decision that is made without the graph, or that the graph must make. */
export type NodeOutcome = Decision | "if related";

/** Decides of a request of a kubelet for the node's name. */
type Rule = (attributes: AuthorizerAttributes, node: string) => NodeOutcome;

export const ALLOWED: Decision = { decision: "allow" };

export const refused = (reason: string): Decision => ({ decision: "no-opinion", reason });

/** The rule for the resource of a request; undefined for a resource that only the role system:node covers. */
export function ruleFor({ isResourceRequest, apiGroup, resource }: AuthorizerAttributes): Rule | undefined {
  return isResourceRequest ? RULES.get(`${apiGroup}/${resource}`) : undefined;
}

/** Reads one object in a namespace, by get, or by a list or a watch of that name. */
const readOne: Rule = ({ verb, subresource, namespace }) => {
  if (!["get", "list", "watch"].includes(verb)) return refused("can only read resources of this type");
  if (subresource !== "") return refused("cannot read subresource");
  if (namespace === "") return refused("can only read namespaced object of this type");
  return "if related";
};

const getOne: Rule = ({ verb, subresource }) => {
  if (verb !== "get") return refused("can only get individual resources of this type");
  if (subresource !== "") return refused("cannot get subresource");
  return "if related";
};

const volumeClaim: Rule = (attributes, node) => {
  if (attributes.subresource !== "status") return getOne(attributes, node);
  const { verb } = attributes;
  return verb === "update" || verb === "patch" ? "if related" : refused("can only get/update/patch this type");
};

const serviceAccount: Rule = (attributes, node) => {
  const { verb, subresource, name } = attributes;
  if (verb === "get" && subresource === "") return readOne(attributes, node);
  if (verb !== "create" || name === "") return refused("can only create tokens for individual service accounts");
  if (subresource !== "token") return refused("can only create token subresource of serviceaccount");
  return "if related";
};

const OWN_OBJECT_VERBS = ["get", "create", "update", "patch", "delete"];

/** The name of a new lease is in its body, which NodeRestriction checks. */
const lease: Rule = ({ verb, namespace, name }, node) => {
  if (!OWN_OBJECT_VERBS.includes(verb)) return refused("can only get, create, update, patch, or delete a node lease");
  if (namespace !== "kube-node-lease") {
    return refused(`can only access leases in the "kube-node-lease" system namespace`);
  }
  if (verb === "create" || name === node) return ALLOWED;
  return refused("can only access node lease with the same name as the requesting node");
};

const csiNode: Rule = ({ verb, subresource, name }, node) => {
  if (!OWN_OBJECT_VERBS.includes(verb)) return refused("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return refused("cannot authorize CSINode subresources");
  if (verb === "create" || name === node) return ALLOWED;
  return refused("can only access CSINode with the same name as the requesting node");
};

const resourceSlice: Rule = (attributes, node) => {
  if (attributes.subresource !== "") return refused("cannot authorize ResourceSlice subresources");
  switch (attributes.verb) {
    case "create":
      return ALLOWED;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return "if related";
    case "watch":
    case "list":
    case "deletecollection":
      if (selects(attributes, node)) return ALLOWED;
      return refused("can only list/watch/deletecollection resourceslices with nodeName field selector");
    default:
      return refused(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
  }
};

const podCertificateRequest: Rule = (attributes, node) => {
  const { verb, subresource } = attributes;
  if (subresource !== "") return refused("nodes may not access the status subresource of PodCertificateRequests");
  if (verb === "create") return ALLOWED;
  if (verb === "get") return "if related";
  if (verb !== "list" && verb !== "watch") return refused(`nodes may not ${verb} podcertificaterequests`);
  if (selects(attributes, node)) return ALLOWED;
  return refused("can only list/watch podcertificaterequests with nodeName field selector");
};

/** A kubelet reads its own Node by name, also before there is one. */
const ownNode: Rule = ({ verb, subresource, name }, node) => {
  if (subresource === "status" && ["update", "patch"].includes(verb)) return ALLOWED;
  if (subresource !== "") return NO_OPINION;
  if (["create", "update", "patch"].includes(verb)) return ALLOWED;
  if (!["get", "list", "watch"].includes(verb)) return NO_OPINION;
  if (name === node) return ALLOWED;
  if (name === "") return refused(`node '${node}' cannot read all nodes, only its own Node object`);
  return refused(`node '${node}' cannot read '${name}', only its own Node object`);
};

const pod: Rule = (attributes, node) => {
  const { verb, subresource, name } = attributes;
  if (subresource === "status") return verb === "update" || verb === "patch" ? ALLOWED : NO_OPINION;
  if (subresource === "eviction") return verb === "create" ? ALLOWED : NO_OPINION;
  if (subresource !== "") return NO_OPINION;
  switch (verb) {
    case "get":
      return "if related";
    case "list":
    case "watch":
      if (selects(attributes, node)) return ALLOWED;
      return name === "" ? refused("can only list/watch pods with spec.nodeName field selector") : "if related";
    case "create":
    case "delete":
      return ALLOWED;
    default:
      return NO_OPINION;
  }
};

const NO_OPINION: Decision = { decision: "no-opinion" };

/** Whether a list is of the objects of the node alone. */
const selects = ({ fieldSelector = [] }: AuthorizerAttributes, node: string): boolean =>
  fieldSelector.some(({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node);

const RULES: ReadonlyMap<string, Rule> = new Map([
  ["/secrets", readOne],
  ["/configmaps", readOne],
  ["/persistentvolumeclaims", volumeClaim],
  ["/persistentvolumes", getOne],
  ["/serviceaccounts", serviceAccount],
  ["/nodes", ownNode],
  ["/pods", pod],
  ["resource.k8s.io/resourceclaims", getOne],
  ["resource.k8s.io/resourceslices", resourceSlice],
  ["storage.k8s.io/volumeattachments", getOne],
  ["storage.k8s.io/csinodes", csiNode],
  ["coordination.k8s.io/leases", lease],
  ["certificates.k8s.io/podcertificaterequests", podCertificateRequest],
]);
