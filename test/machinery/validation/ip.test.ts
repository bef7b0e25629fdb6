import { describe, expect, it } from "vitest";
import { cidrErrors, ipErrors } from "../../../src/machinery/validation/ip.js";

const NO_IP = ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
const NO_CIDR = ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];

describe("validation of an IP address", () => {
  it.each([
    ["10.96.0.1", []],
    ["2001:db8::ffff", []],
    ["::", []],
    ["10.96.0", NO_IP],
    ["10.96.0.256", NO_IP],
    ["fe80::1%eth0", NO_IP],
    ["web", NO_IP],
    ["", NO_IP],
    ["10.096.0.1", ["must not have leading 0s"]],
    ["::ffff:10.0.0.1", ["must not be an IPv4-mapped IPv6 address"]],
    ["2001:DB8:0:0::1", ['must be in canonical form ("2001:db8::1")']],
  ] as const)("of %s returns %j", (value, problems) => {
    expect(ipErrors(value)).toEqual(problems);
  });
});

describe("validation of a CIDR block", () => {
  it.each([
    ["10.96.0.0/12", []],
    ["0.0.0.0/0", []],
    ["10.96.0.1/32", []],
    ["2001:db8::/64", []],
    ["2001:db8::/33", []],
    ["10.96.0.0", NO_CIDR],
    ["10.96.0.0/33", NO_CIDR],
    ["2001:db8::/129", NO_CIDR],
    ["10.96.0.0/-1", NO_CIDR],
    ["10.96.0.0/012", ["must not have leading 0s in IP or prefix length"]],
    ["010.96.0.0/12", ["must not have leading 0s in IP or prefix length"]],
    ["::ffff:10.0.0.0/104", ["must not have an IPv4-mapped IPv6 address"]],
    ["10.97.0.0/12", ["must not have bits set beyond the prefix length"]],
    ["2001:db8:8000::/32", ["must not have bits set beyond the prefix length"]],
    ["2001:DB8::/64", ['must be in canonical form ("2001:db8::/64")']],
  ] as const)("of %s returns %j", (value, problems) => {
    expect(cidrErrors(value)).toEqual(problems);
  });
});
