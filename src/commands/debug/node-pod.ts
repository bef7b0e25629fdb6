import type { Fields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { debugContainer, type DebugRequest } from "./container-request.js";
import type { ApplyCustomProfile } from "./custom-profile.js";
import { debugProfile } from "./profiles.js";

/** A pod on the node, whatever taints that has, which the profile gives the node's namespaces and file system. */
export function nodePod(
  node: string,
  podName: string,
  container: string,
  request: DebugRequest,
  applyCustom: ApplyCustomProfile,
): KubeObject {
  const draft: Fields = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: podName, labels: { "app.kubernetes.io/managed-by": "kubectl-debug" } },
    spec: {
      containers: [debugContainer(request, container)],
      nodeName: node,
      restartPolicy: "Never",
      tolerations: [{ operator: "Exists" }],
    },
  };
  debugProfile(request.profile)({ pod: draft, container, style: "node", keep: request.keep });
  applyCustom(draft, "containers", container, request.custom);
  return draft as KubeObject;
}
