import type { Transport } from "./transport.js";

/** A transport that `make` makes for the first request. */
export function lazyTransport(make: () => Promise<Transport>): Transport {
  let made: Promise<Transport> | undefined;
  return {
    send: async (request) => (await (made ??= make())).send(request),
    renew: () =>
      void made?.then(
        (transport) => transport.renew?.(),
        () => {},
      ),
    reach: async (signal) => (await (made ??= make())).reach?.(signal),
    close: async () => {
      if (made) await (await made).close();
    },
  };
}
