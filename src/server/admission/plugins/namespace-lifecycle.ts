import type { Namespace } from "../../../api/types/core/v1.js";
import { forbidden, notFound, StatusError } from "../../../machinery/errors/status-error.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";

const NAMESPACES = { group: "", resource: "namespaces" };
const IMMORTAL: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/**
 * Refuses new objects in namespaces that do not exist or are being deleted, and the deletion of the namespaces that a cluster
 * cannot do without.
 */
export const namespaceLifecycle: AdmissionPlugin = {
  name: "NamespaceLifecycle",
  handles(operation, { group, resource }) {
    const ofNamespaces = group === "" && resource === "namespaces";
    if (operation === "DELETE") return ofNamespaces;
    // Asking whether one may do something in a namespace must not need the namespace.
    const review = group === "authorization.k8s.io" && resource === "localsubjectaccessreviews";
    return operation === "CREATE" && !ofNamespaces && !review;
  },
  async admit(attributes, { objects }) {
    const { operation, name, namespace } = attributes;
    if (operation === "DELETE") {
      if (IMMORTAL.has(name)) throw forbidden(NAMESPACES, name, "this namespace may not be deleted");
      return;
    }
    if (namespace === "") return;
    const found: ReceivedObject<Namespace> | undefined = await objects.get("", "namespaces", "", namespace);
    if (found === undefined) throw notFound(NAMESPACES, namespace);
    if (text(object(found.status).phase) !== "Terminating") return;
    const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const { status } = refused(attributes, message);
    const cause = {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    };
    throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
  },
};
