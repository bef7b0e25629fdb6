import { surroundingsOf } from "../surroundings.js";
import type { Locate, ProcessHosts } from "./dial.js";
import type { TransportConfig, TransportSurroundings } from "./endpoint.js";
import { lazyTransport } from "./lazy-transport.js";
import { nodeHttpsTransport } from "./node-https.js";
import type { Transport } from "./transport.js";

/** The options of a transport. The process's own surroundings are the defaults. */
export interface TransportOptions extends Partial<TransportSurroundings> {
  readonly pooled?: boolean;
  /** Is for streams that may be silent for long: over HTTP/2 where the server has it, it finds out when the line is dead. */
  readonly lasting?: boolean;
  /** How many connections a transport opens. Default 25, of one that is pooled 128. */
  readonly maxSockets?: number;
  /** Where it connects to, in place of the server's host and port. */
  readonly locate?: Locate;
  /** Hosts that it reaches in this process. */
  readonly hosts?: ProcessHosts | undefined;
  /** Bodies come as the server encodes them. Default: gzip is decoded. */
  readonly keepsEncoding?: boolean;
}

/**
 * Creates the transport for a config. `pooled` is for callers with many requests or streams: it loads undici on first use,
 * which would delay a command with a single request.
 */
export function createTransport(config: TransportConfig, options: TransportOptions = {}): Transport {
  const surroundings = surroundingsOf(options);
  if (options.lasting) {
    return lazyTransport(() =>
      import("./http2.js").then(({ http2Transport }) => http2Transport(config, surroundings, options)),
    );
  }
  return options.pooled
    ? lazyTransport(() => import("./undici.js").then((module) => module.undiciTransport(config, surroundings, options)))
    : nodeHttpsTransport(config, surroundings, options);
}
