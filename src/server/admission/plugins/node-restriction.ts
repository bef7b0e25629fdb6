import { goQuote } from "../../../base/text/go-quote.js";
import { formatGroupResource } from "../../../machinery/errors/status-error.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../attributes.js";
import { checkToken } from "./node-restriction/bound-token.js";
import {
  checkClaimStatus,
  checkCertificateRequest,
  checkCsiNode,
  checkLease,
  checkResourceSlice,
} from "./node-restriction/own-objects.js";
import { nodeOf } from "../../request/user.js";
import type { NodeRequest } from "./node-restriction/node-request.js";
import { checkNode } from "./node-restriction/own-node.js";
import { checkPodCertificate } from "./node-restriction/pod-certificate.js";
import { checkPod } from "./node-restriction/pod-rules.js";

type Rule = (request: NodeRequest) => Promise<void> | void;

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["pods", checkPod],
  ["nodes", checkNode],
  ["persistentvolumeclaims", checkClaimStatus],
  ["serviceaccounts", checkToken],
  ["leases.coordination.k8s.io", checkLease],
  ["csinodes.storage.k8s.io", checkCsiNode],
  ["resourceslices.resource.k8s.io", checkResourceSlice],
  ["certificatesigningrequests.certificates.k8s.io", checkCertificateRequest],
  ["podcertificaterequests.certificates.k8s.io", checkPodCertificate],
]);

/**
 * A kubelet changes what belongs to its own node and pods, and nothing by which more pods would come to its node. What it may
 * read is the node authorizer's concern.
 */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  handles: (operation, target) => operation !== "CONNECT" && RULES.has(formatGroupResource(target)),
  admit(attributes, context) {
    const { user, resource } = attributes;
    const node = nodeOf(user);
    if (node === undefined) return;
    if (node === "") throw refused(attributes, `could not determine node from user ${goQuote(user.name)}`);
    return RULES.get(formatGroupResource(resource))?.({ node, attributes, context });
  },
};
