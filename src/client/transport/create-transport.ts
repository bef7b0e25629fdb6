import { surroundingsOf } from "../surroundings.js";
import type { TransportConfig, TransportSurroundings } from "./endpoint.js";
import { nodeHttpsTransport } from "./node-https.js";
import type { Transport } from "./transport.js";

/** Surroundings that are left out are those of this process. */
export interface TransportOptions extends Partial<TransportSurroundings> {
  readonly pooled?: boolean;
}

/**
 * The transport for a config. `pooled` is for callers that send many requests or hold many streams: it costs an import
 * on first use, which a command with one request would wait for.
 */
export function createTransport(config: TransportConfig, options: TransportOptions = {}): Transport {
  const surroundings = surroundingsOf(options);
  return options.pooled
    ? lazily(() => import("./undici.js").then((module) => module.undiciTransport(config, surroundings)))
    : nodeHttpsTransport(config, surroundings);
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
