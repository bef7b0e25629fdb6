import { builtinRecords } from "../server/builtin/index.js";
import { CustomResourcesPart } from "./control-plane/system-parts.js";
import type { Composition } from "./composition.js";
import type { ServerOptions } from "./options/server-options.js";
import { Options } from "./stages/options.js";
import { withoutNamespaces } from "./start-server.js";

/**
 * The first stage of an extension server, as k8s.io/apiextensions-apiserver has it: it serves CustomResourceDefinitions and the kinds that they define,
 * and none of Kubernetes' other resources. It runs alone, or as the delegate of another server, which then serves those kinds too.
 */
export function extensionServerOptions(options: ServerOptions = {}): Options {
  return new Options(withoutNamespaces(options), extensionComposition());
}

function extensionComposition(): Composition {
  const resources = new CustomResourcesPart();
  return {
    runtimeConfig: { "api/all": false, "apiextensions.k8s.io/v1": true },
    records: builtinRecords,
    steps: (parts) => [{ name: resources.name, run: (server, listener) => resources.start(server, listener, parts) }],
    listsPathsAtEnd: true,
    preShutdown: () => resources.stop(),
  };
}
