import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { runCli } from "../helpers/run-cli.js";
import { type DocumentServer, serveDocuments } from "../helpers/document-server.js";

/*
 * What explain makes of documents that a server may well have, but ours has not: descriptions, values of all types,
 * links, types that hold themselves. The real kubectl is given the same documents.
 */
const { missing, path: kubectl } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`explain of other documents is skipped: ${missing}\n`);

const SENTENCE = "A widget turns, and while it turns it is counted by whoever looks at it for long enough. ";

const widget = {
  type: "object",
  description: `${SENTENCE.repeat(3)}\n\nIt has:\n- a size\n- a colour\n    indented = code that goes on and on until it is wider than any line may be, and then some\nlast\twith\ttabs`,
  externalDocs: { description: `All of it. ${SENTENCE}`, url: "https://example.com/widgets" },
  required: ["colour", "size"],
  properties: {
    apiVersion: { type: "string", description: "the version" },
    metadata: { description: "who it is", allOf: [{ $ref: "#/components/schemas/Meta" }] },
    colour: { type: "string", enum: ["", "red", "green", "blue", "no colour at all"], default: "red" },
    size: { type: "integer", enum: [1, 2.5, 1_000_000, 123_456_789_012_345, 0.00001], description: "in metres" },
    either: { enum: [null, true, { key: [1, "a"] }, [1, 2]] },
    grid: { type: "array", items: { type: "array", items: { $ref: "#/components/schemas/Meta" } } },
    accents: {
      type: "string",
      description: `${"é".repeat(90)} ${"über ".repeat(30)} no\u00a0break ${"語".repeat(50)}`,
    },
    anything: { type: "object", additionalProperties: true, description: "free" },
    nothing: { type: "object", additionalProperties: false },
    byName: {
      type: "object",
      additionalProperties: {
        type: "object",
        description: "one of them",
        properties: { deep: { type: "string", externalDocs: { url: "https://example.com/deep" } } },
        required: ["deep"],
      },
    },
    quantity: { "x-kubernetes-int-or-string": true, description: `${"x".repeat(120)} end\n${" ".repeat(90)}\nafter` },
    parts: {
      description: "of two parts",
      allOf: [
        { type: "object", properties: { one: { type: "string" } } },
        { type: "object", description: "the second", properties: { two: { type: "number" } } },
      ],
    },
    inner: { $ref: "#/components/schemas/Self" },
    text: { $ref: "#/components/schemas/Text" },
    colon: { type: "string", description: `${"ten bytes. ".repeat(6)}ggggg following:\nnext line joined or not` },
    last: { type: "boolean", description: "trailing   \n  leading\n", externalDocs: { description: "only words" } },
  },
};

const schemas = {
  Widget: widget,
  Meta: { type: "object", description: "Who.", properties: { name: { type: "string", description: "its name" } } },
  Self: {
    type: "object",
    properties: {
      self: { $ref: "#/components/schemas/Self" },
      list: { type: "array", items: { $ref: "#/components/schemas/Self" } },
      text: { type: "string", description: "a text" },
    },
  },
  Text: { type: "string", description: "some text" },
  Bare: {},
};

const rows: readonly string[] = [
  "widgets",
  "widgets --recursive",
  ...["colour", "size", "either", "grid", "accents", "anything", "byName", "quantity", "last", "text"].map(
    (field) => `widgets.${field}`,
  ),
  "widgets.metadata.name",
  "widgets.grid.name",
  "widgets.byName.deep",
  "widgets.parts.two",
  "widgets.parts.three",
  "widgets.inner.self.list.self.text",
  "widgets.inner -R",
  "widgets.anything.at.all",
  "widgets.constructor",
  "bares",
  "bares.x",
  "losts",
];

const legacyRows: readonly string[] = [
  "widgets",
  "widgets -R",
  ...[
    "colour",
    "either",
    "grid",
    "accents",
    "anything",
    "byName.deep",
    "quantity",
    "inner",
    "text",
    "colon",
    "last",
  ].map((field) => `widgets.${field}`),
  "widgets.metadata.name",
  "widgets.either.of.these",
  "widgets.constructor",
  "losts",
];

describe.skipIf(missing !== undefined)("kubets explain prints what kubectl 1.37.1 prints", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-explain-"));
  let server: DocumentServer;
  let older: DocumentServer;
  let broken: DocumentServer;

  beforeAll(async () => {
    const kinds = { widgets: "Widget", bares: "Bare", losts: "Lost" };
    server = await serveDocuments({ kinds, schemas });
    older = await serveDocuments({ kinds, schemas, withoutV3: true });
    const reference = { $ref: "#/components/schemas/Nowhere" };
    broken = await serveDocuments({ kinds, schemas: { Widget: { type: "object", properties: { reference } } } });
  });
  afterAll(async () => {
    for (const one of [server, older, broken]) await one?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(rows)("explain %s", async (row) => expectSame(server, row));
  test.each(legacyRows)("explain %s, from OpenAPI v2", async (row) =>
    expectSame(server, `${row} --output=plaintext-openapiv2`),
  );

  test.each(["widgets", "widgets.inner -R", "widgets -o nope", "widgets --api-version=example.com/v1", "losts"])(
    "explain %s, of a server without OpenAPI v3",
    async (row) => expectSame(older, row),
  );

  test.each(["widgets", "widgets.reference", "widgets.reference.x", "widgets -o plaintext-openapiv2"])(
    "explain %s, whose reference leads nowhere",
    async (row) => expectSame(broken, row),
  );

  async function expectSame({ url }: DocumentServer, row: string): Promise<void> {
    const argv = ["--server", url, "explain", ...row.split(" ")];
    const [theirs, ours] = await Promise.all([real(argv), runCli(argv, { env: { HOME: join(folder, "ours") } })]);
    expect(theirs.stdout + theirs.stderr).not.toBe("");
    expect(ours).toEqual(theirs);
  }

  function real(argv: readonly string[]) {
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve, reject) => {
      const child = spawn(kubectl, argv, {
        env: { HOME: join(folder, "theirs") },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
    });
  }
});
