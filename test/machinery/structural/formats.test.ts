import { describe, expect, test } from "vitest";
import { checkedFormat, formatCheckOf } from "../../../src/machinery/structural/formats.js";
import { array, problemsOfX } from "./schemas.js";

const ROWS: readonly (readonly [format: string, good: readonly string[], bad: readonly string[]])[] = [
  [
    "bsonobjectid",
    ["507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"],
    ["507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g", ""],
  ],
  [
    "uri",
    [
      "https://example.com/a?b=c#d",
      "/path",
      "mailto:ann@example.com",
      "*",
      "http://[::1]:80/",
      "http://ann:secret@host/",
    ],
    ["", "a/b", "example.com", "http://a b/", "http://host:port/", "/%zz", ":a", "/a\nb"],
  ],
  [
    "email",
    [
      "ann@example.com",
      "Ann <ann@example.com>",
      '"Ann Bee" <ann@example.com>',
      '"a b"@example.com',
      "ann@[192.0.2.1]",
      "ann@example.com (comment)",
      "änn@exämple.com",
    ],
    [
      "",
      "ann",
      "ann@",
      "@example.com",
      "ann@example.com, bob@example.com",
      "a..b@example.com",
      "<ann@example.com",
      "ann @@example.com",
    ],
  ],
  [
    "hostname",
    ["example.com", "a", "1a.example.com", "exämple.com"],
    ["", "-a.example.com", "a_b.example.com", `${"a".repeat(64)}.example.com`, `${"a.".repeat(130)}com`],
  ],
  ["ipv4", ["192.0.2.1", "010.0.0.1", "::ffff:192.0.2.1"], ["192.0.2", "192.0.2.256", "::1", ""]],
  ["ipv6", ["::1", "2001:db8::ffff", "::ffff:192.0.2.1"], ["192.0.2.1", ":::", "fe80::1%eth0", ""]],
  [
    "cidr",
    ["192.0.2.0/24", "010.0.0.1/08", "2001:db8::/64", "192.0.2.1/24"],
    ["192.0.2.0", "192.0.2.0/33", "2001:db8::/129", ""],
  ],
  [
    "mac",
    ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef", "0123.4567.89ab.cdef"],
    ["01:23:45:67:89", "01:23-45:67:89:ab", "0123.4567", ""],
  ],
  [
    "uuid",
    ["a8098c1a-f86e-11da-bd1a-00112444be1e", "A8098C1AF86E11DABD1A00112444BE1E"],
    ["a8098c1a-f86e-11da-bd1a-00112444be1", "g8098c1a-f86e-11da-bd1a-00112444be1e"],
  ],
  ["uuid3", ["bcd02e22-68f0-3046-a512-327cca9def8f"], ["025b0d74-00a2-4048-bf57-227c5111bb34"]],
  [
    "uuid4",
    ["025b0d74-00a2-4048-bf57-227c5111bb34"],
    ["bcd02e22-68f0-3046-a512-327cca9def8f", "025b0d74-00a2-4048-cf57-227c5111bb34"],
  ],
  ["uuid5", ["886313e1-3b8a-5372-9b90-0c9aee199e5d"], ["025b0d74-00a2-4048-bf57-227c5111bb34"]],
  ["isbn", ["0321751043", "978-0321751041"], ["0321751044", ""]],
  ["isbn10", ["0321751043", "0-321-75104-3", "080442957X"], ["0321751044", "978-0321751041"]],
  ["isbn13", ["978-0321751041", "978 0321751041"], ["978-0321751042", "0321751043"]],
  ["creditcard", ["4111-1111-1111-1111", "378282246310005"], ["4111-1111-1111-1112", "1234", ""]],
  ["ssn", ["111-11-1111", "111 11 1111"], ["111111111", "111-11-111", ""]],
  ["hexcolor", ["#FFFFFF", "fff"], ["#FFFF", "red", ""]],
  ["rgbcolor", ["rgb(100,100,100)", "rgb( 0 , 255,1 )"], ["rgb(256,0,0)", "rgb(1,2)", "100,100,100"]],
  ["byte", ["ZWxpemFiZXRocG9zZXk=", "YQ==", "YWJj"], ["", "ZWxpemFiZXRocG9zZXk", "a b=", "===="]],
  ["password", ["", "anything"], []],
  ["date", ["2014-12-15", "2024-02-29"], ["2014-13-01", "2023-02-29", "2014-1-1", "2014-12-15T00:00:00Z", ""]],
  [
    "date-time",
    ["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20z", "2014-12-15T19:30:20+02:00"],
    ["2014-12-15", "2014-12-15T24:00:00Z", "2014-12-15T19:30:20", "2014-12-15 19:30:20Z", ""],
  ],
  ["datetime", ["2014-12-15T19:30:20Z"], ["2014-12-15"]],
  [
    "duration",
    ["22 ns", "1h30m", "2 days", "1 week", "-1.5s", "0"],
    ["", "5", "1 fortnight", "99999999999999999999 days"],
  ],
  ["k8s-short-name", ["a", "my-name", "1a"], ["", "-a", "a-", "A", "a.b", "a".repeat(64)]],
  ["k8s-long-name", ["a", "a.b-c", `${"a".repeat(100)}.b`], ["", "a..b", ".a", "a.", "A.b", "a".repeat(254)]],
];

describe("named formats of schemas, as kube-openapi's strfmt,", () => {
  describe.each(ROWS)("for the format %s", (format, good, bad) => {
    test.each(good)("accept %j", (text) => {
      expect(formatCheckOf(format)?.(text)).toBe(true);
    });
    test.each(bad)("refuse %j", (text) => {
      expect(formatCheckOf(format)?.(text)).toBe(false);
    });
  });
});

describe("formats in a custom resource's schema, as apiextensions' StripUnsupportedFormatsPostProcess", () => {
  test.each([
    ["date", "string", "date"],
    ["date", "", "date"],
    ["date", "integer", ""],
    ["int32", "integer", "int32"],
    ["int32", "string", ""],
    ["int32", "number", ""],
    ["double", "number", "double"],
    ["k8s-short-name", "string", "k8s-short-name"],
    ["semver", "string", ""],
    ["constructor", "string", ""],
    ["date", "object", ""],
  ])("%s of type %j is validated as %j", (format, type, checked) => {
    expect(checkedFormat(format, type)).toBe(checked);
  });

  test.each([
    [
      "a text without the format",
      "yesterday",
      ['spec.x: Invalid value: "yesterday": spec.x in body must be of type date: "yesterday"'],
    ],
    [
      "a number, by the name of its own format",
      5,
      ['spec.x: Invalid value: "int64": spec.x in body must be of type date: "int64"'],
    ],
    ["a boolean", true, ['spec.x: Invalid value: "": spec.x in body must be of type date: ""']],
    ["a list, which kube-openapi lets pass", ["a"], []],
    ["null", null, ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"']],
  ])("refuse as a date %s", (_, value, problems) => {
    expect(problemsOfX({ type: "string", format: "date" }, value)).toEqual(problems);
  });

  test("are not validated when no server knows them", () => {
    expect(problemsOfX(array({ type: "string", format: "semver" }), ["a"])).toEqual([]);
  });
});
