import { composeServer } from "./compose-server.js";
import type { RunningServer } from "./running-server.js";
import type { ServerOptions } from "./options/server-options.js";

/**
 * Starts an API server that serves the given resources and none of Kubernetes' own: for people who write API servers. When it
 * resolves, the server answers. Rejects with an InvalidResourceError for a resource that cannot be right.
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { admission = {} } = options;
  // Namespaces are Kubernetes' own: here any namespace will do.
  const disable = [...new Set([...(admission.disable ?? []), "NamespaceLifecycle"])];
  return composeServer(
    { ...options, admission: { ...admission, disable } },
    { runtimeConfig: { "api/all": false }, records: [], steps: () => [] },
  );
}
