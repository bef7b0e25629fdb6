import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, test } from "vitest";
import {
  octetString,
  objectIdentifier,
  sequence,
  set,
  tlv,
  utf8String,
  DerError,
} from "../../../src/machinery/crypto/der.js";
import { parseCertificateRequest, readCertificateRequest } from "../../../src/machinery/crypto/certificate-request.js";

// Expectations: what kubectl 1.36.3 says when it describes an object that holds the same request.

const text = (tag: number, value: string): Buffer => tlv(tag, Buffer.from(value, "latin1"));
const attribute = (type: string, ...values: readonly Buffer[]): Buffer => sequence(objectIdentifier(type), ...values);
const subject = (...values: readonly Buffer[]): Buffer =>
  sequence(...values.map((value) => set(attribute("2.5.4.3", value))));
const JANE = subject(utf8String("jane"));
const VERSION = Buffer.of(2, 1, 0);
const KEY = sequence();

const request = (...parts: readonly Buffer[]): Buffer => sequence(sequence(VERSION, ...parts));
const asking = (...attributes: readonly Buffer[]): Buffer => request(JANE, KEY, tlv(0xa0, Buffer.concat(attributes)));
const extensions = (...values: readonly Buffer[]): Buffer =>
  attribute("1.2.840.113549.1.9.14", set(sequence(...values)));
const named = (...names: readonly Buffer[]): Buffer =>
  sequence(objectIdentifier("2.5.29.17"), octetString(sequence(...names)));
const withNames = (...names: readonly Buffer[]): Buffer => asking(extensions(named(...names)));

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

describe("the subject of a PKCS #10 request", () => {
  test.each<readonly [string, Buffer, string | undefined]>([
    ["UTF-8", utf8String("Jürgen"), "Jürgen"],
    ["printable, with a wildcard", text(0x13, "*.a & b"), "*.a & b"],
    ["digits", text(0x12, "12 3"), "12 3"],
    ["T.61 is read as Latin-1", text(0x14, "caf\xe9"), "café"],
    ["two bytes each, ended by a zero", tlv(0x1e, Buffer.from([0, 0x61, 3, 0xa9, 0, 0])), "aΩ"],
    ["a number is no name", tlv(2, Buffer.of(5)), undefined],
    ["GeneralString is none either", text(0x1b, "x"), undefined],
  ])("is read from %s", (_, value, expected) => {
    const { commonName } = readCertificateRequest(request(subject(value), KEY, tlv(0xa0, Buffer.alloc(0)))).subject;
    expect(commonName?.at(-1)).toBe(expected);
  });

  test.each<readonly [string, Buffer, string]>([
    ["@ is not printable", text(0x13, "a@b"), "asn1: syntax error: PrintableString contains invalid character"],
    ["a letter is no digit", text(0x12, "12a"), "asn1: syntax error: NumericString contains invalid character"],
    ["not ASCII", text(0x16, "\xe9"), "asn1: syntax error: IA5String contains invalid character"],
    ["not UTF-8", tlv(0x0c, Buffer.of(0xff)), "asn1: invalid UTF-8 string"],
    ["a surrogate", tlv(0x1e, Buffer.of(0xd8, 0x3d)), "invalid BMPString"],
  ])("is refused when %s", (_, value, problem) => {
    const der = request(subject(value), KEY, tlv(0xa0, Buffer.alloc(0)));
    expect(() => readCertificateRequest(der)).toThrow(new DerError(problem));
  });
});

describe("the alternative names of a PKCS #10 request", () => {
  test("are read by type, in order", () => {
    const v6 = Buffer.from("20010db8000000000000000000000001", "hex");
    const mapped = Buffer.from("00000000000000000000ffff0a000001", "hex");
    const der = withNames(
      text(DNS, "b"),
      tlv(IP, v6),
      text(EMAIL, "j@x"),
      text(DNS, "a"),
      tlv(IP, mapped),
      text(0x88, "*"),
    );
    const expected = { dns: ["b", "a"], emails: ["j@x"], uris: [], ips: ["2001:db8::1", "10.0.0.1"] };
    expect(readCertificateRequest(der).alternativeNames).toEqual(expected);
  });

  test.each([
    ["HTTPS://Example.com:8443/a b/%41!(c)?q=a b#", "https://Example.com:8443/a%20b/A%21%28c%29?q=a b"],
    ["urn:uuid:1", "urn:uuid:1"],
    ["http://u:p@h/x/[1]#f g", "http://u:p@h/x/[1]#f%20g"],
    ["HTTP://H/'x'\"y\"#'a'\"b\"", "http://H/%27x%27%22y%22#%27a%27%22b%22"],
    ["//Host/x", "//Host/x"],
    ["http://h/?#", "http://h/?"],
  ])("include the URI %s", (uri, expected) => {
    expect(readCertificateRequest(withNames(text(URI, uri))).alternativeNames.uris).toEqual([expected]);
  });

  test.each([
    ["http://a/%zz", 'parse "http://a/%zz": invalid URL escape "%zz"'],
    ["http://a/\x01", 'parse "http://a/\\x01": net/url: invalid control character in URL'],
    [":x", 'parse ":x": missing protocol scheme'],
    ["http://a b/", 'parse "http://a b/": invalid character " " in host name'],
    ["http://a:b/", 'parse "http://a:b/": invalid port ":b" after host'],
    ["http://a..b/", "invalid domain"],
  ])("are refused for an invalid URI: %s", (uri, problem) => {
    const shown = uri.replace("\x01", "\\x01");
    expect(() => readCertificateRequest(withNames(text(URI, uri)))).toThrow(
      new DerError(`x509: cannot parse URI "${shown}": ${problem}`),
    );
  });

  test.each<readonly [string, Buffer, string]>([
    ["a short address", withNames(tlv(IP, Buffer.of(1, 2, 3))), "x509: cannot parse IP address of length 3"],
    ["a name that is not ASCII", withNames(text(DNS, "\xe9")), "x509: SAN dNSName is malformed"],
    ["an email address that is not", withNames(text(EMAIL, "\xe9")), "x509: SAN rfc822Name is malformed"],
    [
      "asked for twice",
      asking(extensions(named(text(DNS, "a"))), extensions(named(text(DNS, "b")))),
      "x509: certificate request contains duplicate requested extensions",
    ],
    [
      "no list",
      asking(extensions(sequence(objectIdentifier("2.5.29.17"), octetString(tlv(4, Buffer.of(1)))))),
      "x509: invalid subject alternative names",
    ],
    ["no attributes at all", request(JANE, KEY), "asn1: syntax error: sequence truncated"],
    ["bytes behind the request", Buffer.concat([asking(), Buffer.of(5, 0)]), "asn1: syntax error: trailing data"],
  ])("are refused for %s", (_, der, problem) => {
    expect(() => readCertificateRequest(der)).toThrow(new DerError(problem));
  });

  test("are empty for an unknown attribute", () => {
    const der = asking(tlv(2, Buffer.of(1)), attribute("1.2.840.113549.1.9.14"), extensions(named(text(DNS, "x"))));
    expect(readCertificateRequest(der).alternativeNames.dns).toEqual(["x"]);
  });

  test("are those of the first list when there are several", () => {
    const both = set(sequence(named(text(DNS, "a"))), sequence(named(text(DNS, "b"))));
    expect(readCertificateRequest(asking(attribute("1.2.840.113549.1.9.14", both))).alternativeNames.dns).toEqual([
      "a",
    ]);
  });
});

test("a PKCS #10 request cut at any byte makes the reader throw only a DerError", async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = new SubjectAlternativeNameExtension([
    { type: "dns", value: "a.example.com" },
    { type: "ip", value: "10.0.0.1" },
  ]);
  const made = await Pkcs10CertificateRequestGenerator.create(
    { name: "CN=system:node:a,O=system:nodes", keys, signingAlgorithm: algorithm, extensions: [names] },
    webcrypto as never,
  );
  const der = Buffer.from(made.rawData);
  for (let length = 0; length < der.length; length++) {
    expect(() => readCertificateRequest(der.subarray(0, length))).toThrow(DerError);
  }
  expect(parseCertificateRequest(made.toString("pem"))).toEqual({
    subject: { organization: ["system:nodes"], commonName: ["system:node:a"] },
    alternativeNames: { dns: ["a.example.com"], emails: [], uris: [], ips: ["10.0.0.1"] },
  });
  expect(() => parseCertificateRequest(made.toString("pem").replaceAll(" REQUEST", ""))).toThrow(
    "PEM block type must be CERTIFICATE REQUEST",
  );
});
