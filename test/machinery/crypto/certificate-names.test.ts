import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { issueCertificate } from "../../../src/machinery/crypto/issue-certificate.js";
import { readX509 } from "../../../src/machinery/crypto/x509/certificate.js";

const { certificate } = issueCertificate({
  commonName: "jane",
  organizations: ["one", "two"],
  notBefore: 0,
  notAfter: 1e12,
  serial: Buffer.of(1),
  usage: "client",
});
const der = new X509Certificate(certificate).raw;

test("a certificate's subject is read in its order", () => {
  expect(readX509(der).subjectAttributes).toEqual([
    { type: "2.5.4.10", value: "one" },
    { type: "2.5.4.10", value: "two" },
    { type: "2.5.4.3", value: "jane" },
  ]);
});

test.each([
  ["a UniversalString", 0x1c],
  ["a VisibleString", 0x1a],
  ["an integer", 0x02],
])("a certificate's subject with %s is refused, as Go refuses it", (_, tag) => {
  const at = der.indexOf(Buffer.from("\x0c\x03two", "latin1"));
  const changed = Buffer.from(der);
  changed[at] = tag;
  expect(() => readX509(changed)).toThrow(`unsupported string type: ${tag}`);
});

test("bytes that are not a certificate are refused", () => {
  for (const bytes of [Buffer.of(), Buffer.of(0x30, 0), Buffer.of(0x30, 2, 0x30, 0)]) {
    expect(() => readX509(bytes)).toThrow();
  }
});
