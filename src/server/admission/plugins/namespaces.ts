import type { StatusCause } from "../../../api/types/meta/v1.js";
import type { Namespace } from "../../../api/types/core/v1.js";
import { forbidden, notFound, StatusError, isAlreadyExists } from "../../../machinery/errors/status-error.js";
import { type FieldsOf, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { AdmissionPlugin, AdmissionContext } from "../plugin.js";
import { refused, type AdmissionAttributes } from "../attributes.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { kubernetesClient } from "../../../client/dynamic/kubernetes-client.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

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
    } satisfies FieldsOf<StatusCause>;
    throw new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
  },
};

/** Refuses writes, deletions too, in a namespace that does not exist. */
export const namespaceExists: AdmissionPlugin = {
  name: "NamespaceExists",
  handles: (operation, { group, resource }) => operation !== "CONNECT" && !(group === "" && resource === "namespaces"),
  async validate({ namespace }, { objects }) {
    if (namespace === "" || (await objects.cached.has("", "namespaces", "", namespace))) return;
    // The cache may not know yet what another server has created.
    if ((await objects.get("", "namespaces", "", namespace)) !== undefined) return;
    throw notFound({ group: "", resource: "namespaces" }, namespace);
  },
};

/** Creates the missing namespace of a new object. A dry run creates none. */
export const namespaceAutoProvision: AdmissionPlugin = {
  name: "NamespaceAutoProvision",
  handles: (operation, { group, resource }) => operation === "CREATE" && !(group === "" && resource === "namespaces"),
  async admit(attributes, { objects, client, clock, random }) {
    const { namespace, dryRun } = attributes;
    if (namespace === "" || dryRun || (await objects.cached.has("", "namespaces", "", namespace))) return;
    const server = kubernetesClient({ transport: client }, { clock, random });
    try {
      await server.of("v1", "Namespace").create({ metadata: { name: namespace } });
    } catch (error) {
      if (isAlreadyExists(error)) return;
      throw refused(attributes, errorMessage(error));
    } finally {
      await server.close();
    }
  },
};

/** Returns the namespace of a request. Throws 404 when it does not exist. */
export async function namespaceOf(
  { namespace }: AdmissionAttributes,
  { objects }: AdmissionContext,
): Promise<KubeObject> {
  const wanted = ["", "namespaces", "", namespace] as const;
  // The cache may not know yet what another server has created.
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  return found;
}
