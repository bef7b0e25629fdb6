import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { type ForwardEvent, PortForwarder } from "../../../src/actions/forward-ports/port-forwarder.js";
import { eventually } from "../../helpers/eventually.js";

test("a port forwarder adds no further listeners to the pod's connection when it forwards many connections", async () => {
  const stop = new AbortController();
  const closed = new Promise<void>(() => undefined);
  const attached = vi.spyOn(closed, "then");
  const connection = {
    open: () => Promise.reject(new Error("refused")),
    incoming: (async function* () {})(),
    close: async () => undefined,
    closed,
    fault: undefined,
  };
  const events: ForwardEvent[] = [];
  const running = new PortForwarder({
    ports: [{ local: 0, remote: 80 }],
    addresses: [{ address: "127.0.0.1", network: "tcp4", optional: false }],
    connect: async () => ({ connection, remotePorts: [80] }),
    reconnect: true,
    onEvent: (event) => events.push(event),
  }).run(stop.signal);
  const faults = (): number => events.filter(({ type }) => type === "fault").length;
  await eventually(async () => expect(events[0]?.type).toBe("listening"));
  const before = attached.mock.calls.length;
  const port = events[0]?.type === "listening" ? events[0].port.local : 0;
  for (let count = 1; count <= 5; count++) {
    connect(port, "127.0.0.1").resume();
    await eventually(async () => expect(faults()).toBe(count));
  }
  expect(attached.mock.calls).toHaveLength(before);
  stop.abort();
  await running;
});
