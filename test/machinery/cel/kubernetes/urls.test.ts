import { describe } from "vitest";
import { testFailures, testIssues, testValues } from "./evaluate.js";

const WRONG = "URL parse error during conversion from string: ";

describe("Kubernetes' CEL functions of URLs", () => {
  testValues([
    ["isURL('https://user:pass@example.com:80/path?query=val#fragment')", true],
    ["isURL('/absolute-path')", true],
    ["isURL('*')", true],
    ["isURL('mailto:ann@example.com')", true],
    ["isURL('https://a:b:c/')", false],
    ["isURL('../relative-path')", false],
    ["isURL('')", false],
    ["isURL('http://[fe80::1%25eth0]/')", true],
    ["isURL('http://[1.2.3.4]/')", false],
    ["isURL('http://::1/')", false],
    ["isURL('mongodb://a:1,b:2/')", true],
    ["isURL('http://h/%zz')", false],
    ["isURL('http://h h/')", false],
    ["isURL('http://h/a b')", true],
    ["url('/path').getScheme()", ""],
    ["url('HTTPS://example.com/').getScheme()", "https"],
    ["url('https://example.com:80/').getHost()", "example.com:80"],
    ["url('https://example.com/').getHost()", "example.com"],
    ["url('https://[::1]:80/').getHost()", "[::1]:80"],
    ["url('https://[::1]/').getHost()", "[::1]"],
    ["url('/path').getHost()", ""],
    ["url('//host/path').getHost()", "host"],
    ["url('https://user@example.com/').getHost()", "example.com"],
    ["url('https://b%C3%BCcher.example/').getHost()", "bücher.example"],
    ["url('https://example.com:80/').getHostname()", "example.com"],
    ["url('https://127.0.0.1:80/').getHostname()", "127.0.0.1"],
    ["url('https://[::1]:80/').getHostname()", "::1"],
    ["url('http://[fe80::1%25eth0]/').getHostname()", "fe80::1%eth0"],
    ["url('/path').getHostname()", ""],
    ["url('https://example.com:80/').getPort()", "80"],
    ["url('https://example.com:/').getPort()", ""],
    ["url('https://example.com/').getPort()", ""],
    ["url('/path').getPort()", ""],
    ["url('https://example.com/path').getEscapedPath()", "/path"],
    ["url('https://example.com/path with spaces/').getEscapedPath()", "/path%20with%20spaces/"],
    ["url('https://example.com/%2Fa').getEscapedPath()", "/%2Fa"],
    ["url('https://example.com/ü').getEscapedPath()", "/%C3%BC"],
    ["url('https://example.com').getEscapedPath()", ""],
    ["url('https://example.com/p#fragment').getEscapedPath()", "/p"],
    ["url('https://example.com/path?k1=a&k2=b&k2=c').getQuery()", { k1: ["a"], k2: ["b", "c"] }],
    [
      "url('https://example.com/path?key with spaces=value with spaces').getQuery()",
      { "key with spaces": ["value with spaces"] },
    ],
    ["url('https://example.com/path?a+b=%C3%BC&c').getQuery()", { "a b": ["ü"], c: [""] }],
    ["url('https://example.com/path?a=%zz&b=1&c;d=2').getQuery()", { b: ["1"] }],
    ["url('https://example.com/path?').getQuery()", {}],
    ["url('https://example.com/path').getQuery()", {}],
    ["url('http://a/b') == url('http://a/b')", true],
    ["url('HTTP://a/b') == url('http://a/b')", true],
    ["url('http://a/b#c') == url('http://a/b')", false],
    ["url('http://a/b') == null", false],
  ]);

  testFailures([
    ["url('https://a:b:c/')", `${WRONG}parse "https://a:b:c/": invalid port ":b:c" after host`],
    ["url('../relative-path')", `${WRONG}parse "../relative-path": invalid URI for request`],
    ["url('')", `${WRONG}parse "": empty url`],
    ["url(':a')", `${WRONG}parse ":a": missing protocol scheme`],
    ["url('http://h/%zz')", `${WRONG}parse "http://h/%zz": invalid URL escape "%zz"`],
    ["url('http://h/#%zz')", `${WRONG}parse "http://h/#%zz": invalid URL escape "%zz"`],
    ["url('http://h%20/')", `${WRONG}parse "http://h%20/": invalid URL escape "%20"`],
    ["url('http://h h/')", `${WRONG}parse "http://h h/": invalid character " " in host name`],
    ["url('http://[::1/')", `${WRONG}parse "http://[::1/": missing ']' in host`],
    ["url('http://a[::1]/')", `${WRONG}parse "http://a[::1]/": invalid IP-literal`],
    [
      "url('http://[::g]/')",
      `${WRONG}parse "http://[::g]/": invalid host: ParseAddr("::g"): each colon-separated field must have at least one digit (at "g")`,
    ],
    ["url('http://a b@h/')", `${WRONG}parse "http://a b@h/": net/url: invalid userinfo`],
    ["url('http://h/\\n')", `${WRONG}parse "http://h/\\n": net/url: invalid control character in URL`],
    ["url('http://h') == dyn('http://h')", "no such overload"],
  ]);

  testIssues([
    ["url('/p') == '/p'", "found no matching overload for '_==_' applied to '(kubernetes.URL, string)'"],
    ["url(1)", "found no matching overload for 'url' applied to '(int)'"],
    ["'/p'.getHost()", "found no matching overload for 'getHost' applied to 'string.()'"],
    ["url('/p').host", "unexpected failed resolution of 'kubernetes.URL'"],
  ]);
});
