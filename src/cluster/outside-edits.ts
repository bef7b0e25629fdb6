import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { resourcePath } from "../client/dynamic/resource-path.js";
import type { Transport } from "../client/transport/transport.js";
import { parseGroupVersion } from "../machinery/meta/gvk.js";
import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import type { ApplyOutsideEdit } from "../server/storage/kv.js";

/** The field manager of edits. */
const MANAGER = "files";

/**
 * Applies edits of a storage's files as requests of the server's owner: they get defaults, are validated and admitted, and their fields
 * are managed by "files". A removed file is a DELETE, so that finalizers and grace periods hold.
 */
export function applyByRequests(transport: Transport): ApplyOutsideEdit {
  const { rest } = kubernetesClient({ transport: () => transport }, { headers: { "user-agent": MANAGER } });
  return async ({ resource, namespace, name, apiVersion, object, exists }) => {
    const { group, version } = parseGroupVersion(apiVersion);
    const mapping = { resource: { group, version, resource }, namespaced: namespace !== "" };
    if (object === undefined) {
      await rest.request({ method: "DELETE", path: resourcePath(mapping, namespace, name), contentType: "" });
      return;
    }
    const path = resourcePath(mapping, namespace, exists ? name : undefined);
    const body = Buffer.from(encodeJson(object));
    await rest.request({ method: exists ? "PUT" : "POST", path, query: { fieldManager: MANAGER }, body });
  };
}
