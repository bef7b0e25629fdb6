import { forbidden, notFound, StatusError } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { AdmissionPlugin } from "./admission.js";

const NAMESPACES = { group: "", resource: "namespaces" };

/**
 * Refuses new objects in namespaces that do not exist or are being deleted. `lookup` answers the namespace, undefined
 * when there is none.
 */
export function namespaceLifecycle(lookup: (name: string) => Promise<KubeObject | undefined>): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    async admit({ operation, group, resource, subresource, namespace, name }) {
      if (operation !== "CREATE" || namespace === "" || (group === "" && resource === "namespaces")) return;
      // Asking whether one may do something in a namespace must not need the namespace.
      if (group === "authorization.k8s.io" && resource === "localsubjectaccessreviews") return;
      const found = await lookup(namespace);
      if (found === undefined) throw notFound(NAMESPACES, namespace);
      if (subresource === "" && isTerminating(found)) throw terminating(group, resource, name, namespace);
    },
  };
}

function isTerminating(namespace: KubeObject): boolean {
  const status = namespace["status"];
  return isJsonObject(status) && status["phase"] === "Terminating";
}

function terminating(group: string, resource: string, name: string, namespace: string): StatusError {
  const { status } = forbidden(
    { group, resource },
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
