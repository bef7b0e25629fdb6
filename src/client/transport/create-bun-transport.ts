import { surroundingsOf } from "../surroundings.js";
import { bunFetchTransport } from "./bun-fetch.js";
import type { TransportOptions } from "./create-transport.js";
import type { TransportConfig } from "./endpoint.js";
import { lazyTransport } from "./lazy-transport.js";
import type { Transport } from "./transport.js";

/** What undici has in the Node program. */
const POOLED_SOCKETS = 128;

/** Creates the transport for a config in the native executable, whose build replaces create-transport.ts by this file. */
export function createTransport(config: TransportConfig, options: TransportOptions = {}): Transport {
  const surroundings = surroundingsOf(options);
  const sockets = options.pooled ? POOLED_SOCKETS : options.maxSockets;
  const node = lazyTransport(() =>
    import("./node-https.js").then(({ nodeHttpsTransport }) =>
      nodeHttpsTransport(config, surroundings, { ...options, maxSockets: sockets }),
    ),
  );
  if (options.lasting) {
    return lazyTransport(() =>
      import("./http2.js").then(({ http2Transport }) => http2Transport(config, surroundings, options)),
    );
  }
  // Bun has at most 256 requests under way in a process: a caller that needs many connections has long streams. It also looks
  // names up by itself.
  const isUsual = options.maxSockets === undefined && options.locate === undefined && options.hosts === undefined;
  return isUsual ? bunFetchTransport(config, surroundings, node) : node;
}
