import { expect, test } from "vitest";
import { pemBlocks, pemText } from "../../../src/machinery/crypto/pem.js";

const bytes = Buffer.from("a block of more than forty-eight bytes, which is two lines of base64");
const good = pemText("CERTIFICATE", bytes);
const read = (text: string): readonly string[] =>
  [...pemBlocks(text)].map(
    ({ type, bytes: held, hasHeaders }) =>
      `${type}${hasHeaders ? " with headers" : ""}: ${Buffer.from(held).equals(bytes)}`,
  );

test.each([
  ["a block", good],
  ["text around it", `before\n${good}after\n`],
  ["no line break at its end", good.trimEnd()],
  ["lines that end as on Windows", good.replaceAll("\n", "\r\n")],
  ["spaces and tabs behind its lines", good.replaceAll("\n", " \t\n")],
  ["a first line without a last one before it", `-----BEGIN CERTIFICATE-----\n${good}`],
  ["a last line without a first one before it", `-----END CERTIFICATE-----\n${good}`],
  ["a block with bad base64 before it", `${good.replace(/\w{3}/g, "!")}${good}`],
])("PEM parsing reads %s", (_, text) => {
  expect(read(text)).toEqual(["CERTIFICATE: true"]);
});

test("PEM parsing reads several blocks in order, with their headers", () => {
  const key = pemText("EC PRIVATE KEY", bytes).replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n");
  expect(read(`${good}${key}${good}`)).toEqual([
    "CERTIFICATE: true",
    "EC PRIVATE KEY with headers: true",
    "CERTIFICATE: true",
  ]);
});

test.each([
  ["indented", good.replaceAll(/^/gm, " ")],
  ["on one line", good.replaceAll("\n", "")],
  ["without a last line", good.replace(/-----END.*\n/, "")],
  ["with another's last line", good.replace("END CERTIFICATE", "END KEY")],
  ["with text behind its last line", good.replace(/-----\n$/, "----- x\n")],
  ["with half a first line", good.replace("CERTIFICATE-----", "CERTIFICATE---")],
  ["with a character that is not of base64", good.replace(/\n\w/, "\n!")],
  ["with a character too few", good.replace(/\n\w/, "\n")],
  ["with headers and nothing else", "-----BEGIN A-----\nComment: x\n-----END B-----\n"],
])("PEM parsing ignores a block %s", (_, text) => {
  expect(read(text)).toEqual([]);
});

test("PEM parsing reads a text of begin lines alone, or of end lines alone, only once", () => {
  const many = 200_000;
  for (const line of ["-----BEGIN A-----\n", "-----END A-----\n", "\n-----BEGIN A-----\n-----END B-----\n"])
    expect(read(line.repeat(many))).toEqual([]);
});
