import type { TransportConfig } from "./endpoint.js";
import { nodeHttpsTransport } from "./node-https.js";
import type { Transport } from "./transport.js";

/**
 * The transport for a config. `pooled` is for callers that send many requests or hold many streams: it costs an import
 * on first use, which a command with one request would wait for.
 */
export function createTransport(config: TransportConfig, options: { readonly pooled?: boolean } = {}): Transport {
  return options.pooled
    ? lazily(() => import("./undici.js").then((module) => module.undiciTransport(config)))
    : nodeHttpsTransport(config);
}

function lazily(make: () => Promise<Transport>): Transport {
  let made: Promise<Transport> | undefined;
  return {
    send: async (request) => (await (made ??= make())).send(request),
    close: async () => {
      if (made) await (await made).close();
    },
  };
}
