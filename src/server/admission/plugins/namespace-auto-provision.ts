import { errorMessage } from "../../../base/text/error-message.js";
import { kubernetesClient } from "../../../client/dynamic/kubernetes-client.js";
import { isAlreadyExists } from "../../../machinery/errors/status-error.js";
import type { AdmissionPlugin } from "../plugin.js";
import { refused } from "../refusal.js";

/** Creates the namespace that a new object names and that does not exist. A dry run creates none. */
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
