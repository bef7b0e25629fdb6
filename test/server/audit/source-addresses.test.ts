import { expect, test } from "vitest";
import { sourceAddresses } from "../../../src/server/audit/source-addresses.js";
import type { Exchange } from "../../../src/server/request/exchange.js";

test.each([
  [{}, "10.0.0.1", ["10.0.0.1"]],
  [{}, "::ffff:10.0.0.1", ["10.0.0.1"]],
  [{}, "", []],
  [{ "x-forwarded-for": "1.1.1.1, 2.2.2.2" }, "10.0.0.1", ["1.1.1.1", "2.2.2.2", "10.0.0.1"]],
  [{ "x-forwarded-for": "no address, 10.0.0.1" }, "10.0.0.1", ["10.0.0.1"]],
  [{ "x-forwarded-for": "1.1.1.1", "x-real-ip": "1.1.1.1" }, "10.0.0.1", ["1.1.1.1", "10.0.0.1"]],
  [{ "x-real-ip": "2001:DB8::0:1" }, "10.0.0.1", ["2001:db8::1", "10.0.0.1"]],
])(
  "the source addresses in an audit event, for headers %j and a connection from %s, are %j",
  (headers, remoteAddress, expected) => {
    expect(sourceAddresses({ headers, remoteAddress } as unknown as Exchange)).toEqual(expected);
  },
);
