import type { Node, NodeStatus, NodeSystemInfo } from "../../../api/types/core/v1.js";
import { nodeWarnings, validateNode, validateNodeUpdate } from "../../../api/validation/core/node.js";
import {
  absent,
  type DraftObject,
  ensureChild,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, conditionStatus, name, orNone } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { nodeProxy } from "./proxies.js";

/**
 * The record of Nodes. A node may be created with a status, as kubelets once did. The deprecated source of a kubelet's
 * configuration is kept only where it is set already.
 */
export const nodeRecord: RecordOf<Node> = {
  group: "",
  resource: "nodes",
  storage: { prefix: "minions" },
  subresources: { proxy: { connecter: nodeProxy } },
  strategy: {
    prepareForCreate: (draft) => dropConfigSource(draft, {}),
    prepareForUpdate: dropConfigSource,
    prepareForStatusUpdate(draft, old) {
      if (absent(object(old.status).config)) delete ensureChild(draft, "status").config;
    },
    validate: validateNode,
    validateUpdate: validateNodeUpdate,
    validateStatusUpdate: validateNodeUpdate,
    warningsOnCreate: nodeWarnings,
    warningsOnUpdate: nodeWarnings,
    keepsStatusOnCreate: true,
    fieldLabels: ["spec.unschedulable"],
    fields: (node) => ({ "spec.unschedulable": String(object(node.spec).unschedulable === true) }),
    columns: columns(
      [
        "Name",
        ["Status", "Whether the node is ready, and whether new pods are kept from it."],
        ["Roles", "What its labels say that it is for."],
        "Age",
        ["Version", "The version of its kubelet."],
        ["Internal-IP:string:1", "Its first address inside the cluster."],
        ["External-IP:string:1", "Its first address outside the cluster."],
        ["OS-Image:string:1", "The name of its operating system."],
        ["Kernel-Version:string:1", "The version of its kernel, and the architecture of the machine."],
        ["Container-Runtime:string:1", "The runtime of its containers, and the version of that."],
      ],
      (node, now) => {
        const status = object(node.status);
        const info = object(status.nodeInfo);
        return [
          name(node),
          nodeStatus(node),
          orNone(nodeRoles(node.metadata?.labels ?? {}).join(",")),
          age(node, now),
          text(info.kubeletVersion),
          nodeAddress(status, "InternalIP"),
          nodeAddress(status, "ExternalIP"),
          text(info.osImage) || "<unknown>",
          kernelCell(info),
          text(info.containerRuntimeVersion) || "<unknown>",
        ];
      },
    ),
  },
};

function dropConfigSource(draft: DraftObject<Node>, old: ReceivedObject<Node>): void {
  if (absent(object(old.spec).configSource)) delete ensureChild(draft, "spec").configSource;
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles(labels: Readonly<Record<string, string>>): string[] {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(labels)) {
    const role = label.startsWith(ROLE_PREFIX) ? label.slice(ROLE_PREFIX.length) : "";
    if (role !== "") roles.add(role);
    else if (label === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort();
}

function nodeStatus(node: ReceivedObject<Node>): string {
  const ready = conditionStatus(object(node.status).conditions, "Ready");
  const status = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return object(node.spec).unschedulable === true ? `${status},SchedulingDisabled` : status;
}

function kernelCell(info: Received<NodeSystemInfo>): string {
  const version = text(info.kernelVersion) || "<unknown>";
  const architecture = text(info.architecture);
  return architecture === "" ? version : `${version} (${architecture})`;
}

function nodeAddress(status: Received<NodeStatus>, type: string): string {
  const address = objects(status.addresses).find((candidate) => candidate.type === type);
  return address === undefined ? "<none>" : text(address.address);
}
