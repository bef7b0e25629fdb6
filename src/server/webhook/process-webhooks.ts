import type { Duplex } from "node:stream";
import type { ProcessHosts } from "../../client/transport/dial.js";
import { duplexPair } from "../../machinery/wire/streams/duplex-pair.js";
import type { LocateService } from "./service-address.js";
import { serverNameOf } from "./webhook-target.js";

/**
 * Webhooks of programs in this process, by the host that a webhook's url has, or NAME.NAMESPACE.svc of its Service, which need not exist.
 * Each gets the server's end of a connection, on which TLS is spoken.
 */
export type ProcessWebhooks = Readonly<Record<string, (connection: Duplex) => void>>;

interface WebhookNetwork {
  readonly locate: LocateService;
  readonly hosts: ProcessHosts | undefined;
}

/** The network as webhooks are reached by it, with those of this process first. */
export function withProcessWebhooks(own: ProcessWebhooks, { locate, hosts }: WebhookNetwork): WebhookNetwork {
  const accepting = new Map(Object.entries(own));
  return {
    locate: async (service) => {
      const host = serverNameOf(service);
      return accepting.has(host) ? { host, port: service.port } : locate(service);
    },
    hosts: {
      ...hosts,
      dial(host, port) {
        const accept = accepting.get(host);
        if (accept === undefined) return hosts?.dial(host, port);
        const [client, server] = duplexPair();
        accept(server);
        return Promise.resolve(client);
      },
    },
  };
}
