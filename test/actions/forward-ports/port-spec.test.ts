import { expect, test } from "vitest";
import { listenOnPort } from "../../../src/actions/forward-ports/port-forwarder.js";
import { parseAddresses } from "../../../src/actions/forward-ports/port-spec.js";

test.each([
  ["127.0.0.1", "tcp4"],
  ["::1", "tcp6"],
  ["::ffff:127.0.0.1", "tcp4"],
  ["0:0:0:0:0:FFFF:7f00:1", "tcp4"],
  ["::ffff", "tcp6"],
  ["64:ff9b::127.0.0.1", "tcp6"],
])("the address %s to listen on is recognized as %s", (address, network) => {
  expect(parseAddresses([address])).toEqual([{ address, network, optional: false }]);
});

test.each(["fe80::1%lo", "::1%", "here", ""])("'%s' is refused as an address to listen on", (text) => {
  expect(() => parseAddresses([text])).toThrow(`${text} is not a valid IP`);
});

test("an IPv4-mapped IPv6 address is accepted as an address to listen on", async () => {
  const heard: string[] = [];
  const { servers, fault } = await listenOnPort(
    { local: 0, remote: 80 },
    {
      addresses: parseAddresses(["::ffff:127.0.0.1"]),
      onListening: (address) => heard.push(address),
      onConnection: (socket) => socket.destroy(),
    },
  );
  expect(fault).toBeUndefined();
  expect(heard).toEqual([expect.stringMatching(/^\[::ffff:127\.0\.0\.1\]:\d+$/)]);
  for (const server of servers) server.close();
});
