import { notFound } from "../../../machinery/errors/status-error.js";
import type { AdmissionPlugin } from "../plugin.js";

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
