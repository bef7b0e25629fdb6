import { describe } from "vitest";
import { testFailures, testIssues, testValues } from "./evaluate.js";

const CONVERSION = "network address parse error during conversion from string: ";

const prefix = (text: string, problem: string): readonly [string, string] => [
  `cidr('${text}')`,
  `${CONVERSION}${CONVERSION}netip.ParsePrefix("${text}"): ${problem}`,
];

describe("Kubernetes' CEL functions of networks (CIDR)", () => {
  testValues([
    ["string(cidr('192.168.0.0/24'))", "192.168.0.0/24"],
    ["string(cidr('2001:DB8:0::/32'))", "2001:db8::/32"],
    ["isCIDR('192.168.0.0/16')", true],
    ["isCIDR('192.168.0.1/16')", true],
    ["isCIDR('::1/128')", true],
    ["isCIDR('0.0.0.0/0')", true],
    ["isCIDR('192.168.0.0/33')", false],
    ["isCIDR('::1/129')", false],
    ["isCIDR('192.168.0.0')", false],
    ["isCIDR('192.168.0.0/024')", false],
    ["isCIDR('::ffff:1.2.3.4/24')", false],
    ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
    ["cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))", false],
    ["cidr('192.168.0.0/24').containsIP('192.168.0.1')", true],
    ["cidr('192.168.0.0/24').containsIP('192.168.1.1')", false],
    ["cidr('192.168.0.77/24').containsIP('192.168.0.1')", true],
    ["cidr('0.0.0.0/0').containsIP('1.2.3.4')", true],
    ["cidr('0.0.0.0/0').containsIP('::1')", false],
    ["cidr('2001:db8::/33').containsIP('2001:db8:8000::1')", false],
    ["cidr('2001:db8::/33').containsIP('2001:db8:7fff::1')", true],
    ["cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))", true],
    ["cidr('192.168.1.0/24').containsCIDR(cidr('192.168.2.0/24'))", false],
    ["cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/24'))", true],
    ["cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/23'))", false],
    ["cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')", true],
    ["cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24')", false],
    ["cidr('::/0').containsCIDR('0.0.0.0/0')", false],
    ["string(cidr('192.168.0.1/24').ip())", "192.168.0.1"],
    ["cidr('192.168.0.1/24').ip().family()", 4],
    ["cidr('::1/128').ip() == ip('::1')", true],
    ["string(cidr('192.168.0.1/24').masked())", "192.168.0.0/24"],
    ["string(cidr('2001:db8:ffff::/33').masked())", "2001:db8:8000::/33"],
    ["cidr('192.168.0.0/24') == cidr('192.168.0.0/24').masked()", true],
    ["cidr('192.168.0.1/24') == cidr('192.168.0.1/24').masked()", false],
    ["cidr('192.168.0.0/24') == cidr('192.168.0.0/25')", false],
    ["cidr('192.168.0.0/16').prefixLength()", 16],
    ["cidr('::1/128').prefixLength()", 128],
    ["type(cidr('192.168.0.0/24')) == net.CIDR", true],
    ["optional.ofNonZeroValue(cidr('0.0.0.0/0')).hasValue()", true],
  ]);

  testFailures([
    prefix("192.168.0.0", "no '/'"),
    prefix("192.168.0.0/", `bad bits after slash: ""`),
    prefix("192.168.0.0/+1", `bad bits after slash: "+1"`),
    prefix("192.168.0.0/024", `bad bits after slash: "024"`),
    prefix("192.168.0.0/33", "prefix length out of range"),
    prefix("::/129", "prefix length out of range"),
    prefix("192.168.0/24", `ParseAddr("192.168.0"): IPv4 address too short`),
    prefix("fe80::1%a/64", "IPv6 zones cannot be present in a prefix"),
    ["cidr('::ffff:1.2.3.4/24')", `${CONVERSION}IPv4-mapped IPv6 address "::ffff:1.2.3.4/24" is not allowed`],
    ["cidr('1.2.3.0/24').containsIP('x')", "no such overload"],
    ["cidr('1.2.3.0/24').containsCIDR('x')", `${CONVERSION}${CONVERSION}netip.ParsePrefix("x"): no '/'`],
  ]);

  testIssues([
    ["cidr('::/0') == ip('::')", "found no matching overload for '_==_' applied to '(net.CIDR, net.IP)'"],
    ["cidr('::/0').containsIP(1)", "found no matching overload for 'containsIP' applied to 'net.CIDR.(int)'"],
  ]);
});
