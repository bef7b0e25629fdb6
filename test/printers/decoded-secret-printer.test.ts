import { expect, test } from "vitest";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { decodedSecretPrinter } from "../../src/printers/decoded-secret-printer.js";
import { readDocuments } from "../../src/machinery/text/yaml/documents.js";

const secret = (name: string, data?: Readonly<Record<string, string | Uint8Array>>): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: "shop", name },
  ...(data && {
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
  }),
});

function print(...objects: readonly KubeObject[]): string {
  const printer = decodedSecretPrinter();
  let text = "";
  for (const object of objects) printer.print(object, (piece) => (text += piece));
  return text;
}

test("the decoded Secret printer prints text as it is, in the order of the keys", () => {
  expect(print(secret("db", { user: "admin", password: "pä$$: 1" }))).toBe("password: 'pä$$: 1'\nuser: admin\n");
});

test("the decoded Secret printer keeps several lines as lines", () => {
  expect(print(secret("tls", { "tls.crt": "-----BEGIN\nabc\n" }))).toBe("tls.crt: |\n  -----BEGIN\n  abc\n");
});

test.each([
  { title: "no UTF-8", bytes: Uint8Array.of(0xff, 0xfe), note: "2 bytes" },
  { title: "a control character", bytes: Uint8Array.of(0), note: "1 byte" },
  { title: "an escape sequence", bytes: Buffer.from("\u001b[2J"), note: "4 bytes" },
])("the decoded Secret printer leaves data with $title in base64, with a note", ({ bytes, note }) => {
  const base64 = Buffer.from(bytes).toString("base64");
  const text = print(secret("key", { key: bytes }));
  expect(text.split("\n")[0]).toBe(`# key is not text: ${note}, in base64`);
  expect([...readDocuments(text)].map(({ value }) => value)).toEqual([{ key: base64 }]);
});

test("the decoded Secret printer prints an empty object without data", () => {
  expect(print(secret("empty"))).toBe("{}\n");
  expect(print(secret("empty", {}))).toBe("{}\n");
});

test("the decoded Secret printer quotes text that YAML would read as another type", () => {
  const data = { a: "true", b: "12", c: "", d: "# no comment" };
  expect([...readDocuments(print(secret("odd", data)))].map(({ value }) => value)).toEqual([data]);
});

test("the decoded Secret printer prints the name above each of several Secrets", () => {
  const list = { apiVersion: "v1", kind: "List", items: [secret("a", { x: "1" }), secret("b")] };
  expect(print(list)).toBe('# shop/a\nx: "1"\n---\n# shop/b\n{}\n');
});

test.each([
  { object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }, named: "web is a ConfigMap" },
  { object: { apiVersion: "example.com/v1", kind: "Secret", metadata: { name: "own" } }, named: "own is a Secret" },
])("the decoded Secret printer refuses $named", ({ object, named }) => {
  const list = { apiVersion: "v1", kind: "List", items: [secret("a"), object] };
  expect(() => print(list)).toThrow(`the output format "decoded" is for Secrets only, and ${named}`);
});
