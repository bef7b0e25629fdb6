import { expect, test } from "vitest";
import { lazyTransport } from "../../../src/client/transport/lazy-transport.js";
import type { Transport, TransportResponse } from "../../../src/client/transport/transport.js";

/** A transport with state, as that over HTTP/2 has it. */
class CountedTransport implements Transport {
  renewals = 0;
  async send(): Promise<TransportResponse> {
    return { status: 204, headers: {}, body: (async function* () {})() };
  }
  renew(): void {
    this.renewals += 1;
  }
  async close(): Promise<void> {}
}

test("renewing a lazy transport renews the transport that it has made, if any", async () => {
  const made = new CountedTransport();
  const lazy = lazyTransport(async () => made);
  lazy.renew?.();
  expect(made.renewals, "nothing is made before the first request").toBe(0);
  await lazy.send({ method: "GET", path: "/", headers: {} });
  lazy.renew?.();
  await lazy.send({ method: "GET", path: "/", headers: {} });
  expect(made.renewals).toBe(1);
});
