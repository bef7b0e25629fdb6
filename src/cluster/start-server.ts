import { composeServer } from "./compose-server.js";
import type { Composition } from "./composition.js";
import type { RunningServer } from "./running-server.js";
import type { ServerOptions } from "./options/server-options.js";
import { Options } from "./stages/options.js";

/**
 * Starts an API server that serves the given resources and none of Kubernetes' own: for people who write API servers. When it
 * resolves, the server answers. Rejects with an InvalidResourceError for a resource that cannot be right. It is the stages of
 * {@link serverOptions} in one call.
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return composeServer(withoutNamespaces(options), OWN_RESOURCES);
}

/**
 * The first of a server's six stages: options, config, completed config, server, prepared server, run.
 *
 *     const config = await serverOptions({ port: 6443, resources }).toConfig();
 *     const server = await config.complete().newServer("wardle");
 *     server.addPostStartHook({ name: "start-wardle-informers", run: startInformers });
 *     await server.prepareRun().run({ signal });
 */
export function serverOptions(options: ServerOptions = {}): Options {
  return new Options(withoutNamespaces(options), OWN_RESOURCES);
}

const OWN_RESOURCES: Composition = {
  runtimeConfig: { "api/all": false },
  records: [],
  steps: () => [],
  listsPathsAtEnd: true,
};

/** Disables NamespaceLifecycle, because a server without Kubernetes' namespaces accepts any namespace. */
export function withoutNamespaces(options: ServerOptions): ServerOptions {
  const { admission = {} } = options;
  return {
    ...options,
    admission: { ...admission, disable: [...new Set([...(admission.disable ?? []), "NamespaceLifecycle"])] },
  };
}
