import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { boxDefinition, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

// Clients keep OpenAPI by its hashes and ETags: they change when the document does, and only then.

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const CHANGED = "changed.hashes.example.com";
const STEADY = "steady.hashes.example.com";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster(quietCluster);
  for (const group of [CHANGED, STEADY]) {
    await install(cluster.transport(), boxDefinition(group, [versionOf("v1", { size: { type: "string" } })]));
  }
  await eventually(async () => expect(Object.keys(await index())).toContain(`apis/${STEADY}/v1`));
});
afterAll(() => cluster.close());

const get = (path: string, accept?: string, known?: string): Promise<Answer> =>
  call(cluster.transport(), "GET", path, undefined, {
    ...(accept !== undefined && { accept }),
    ...(known !== undefined && { headers: { "if-none-match": known } }),
  });

/** The address of each document, with its hash. */
async function index(): Promise<Readonly<Record<string, string>>> {
  const paths = (await get("/openapi/v3")).at("paths") as Record<string, { serverRelativeURL: string }>;
  return Object.fromEntries(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]));
}

/** What a client could keep, by path and media type. */
async function etags(): Promise<Readonly<Record<string, unknown>>> {
  const all: Record<string, unknown> = {};
  for (const { name, path, accept } of await documents()) all[name] = (await get(path, accept)).headers["etag"];
  return all;
}

async function documents(): Promise<
  readonly { readonly name: string; readonly path: string; readonly accept?: string }[]
> {
  return [
    { name: "v2 JSON", path: "/openapi/v2" },
    { name: "v2 protobuf", path: "/openapi/v2", accept: V2_PROTOBUF },
    { name: "v3 index", path: "/openapi/v3" },
    ...Object.entries(await index()).map(([name, path]) => ({ name, path })),
  ];
}

describe("hashes and ETags of OpenAPI documents", () => {
  test("answer If-None-Match with 304 without a body, for v2 in both forms, the index, and each document", async () => {
    for (const { name, path, accept } of await documents()) {
      const { status, headers } = await get(path, accept);
      expect({ name, status, etag: headers["etag"] }).toEqual({
        name,
        status: 200,
        etag: expect.stringMatching(/^"[0-9A-F]{128}"$/) as string,
      });
      const again = await get(path, accept, headers["etag"] as string);
      expect({ name, status: again.status, text: again.text }).toEqual({ name, status: 304, text: "" });
      expect(again.headers["etag"]).toBe(headers["etag"]);
      expect((await get(path, accept, '"OTHER"')).status).toBe(200);
    }
  });

  test("are the same for a compressed answer", async () => {
    for (const accept of ["application/json", V2_PROTOBUF]) {
      const read = async (encoding: string) => {
        const headers = { accept, "accept-encoding": encoding };
        const response = await cluster.transport().send({ method: "GET", path: "/openapi/v2", headers });
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) chunks.push(chunk);
        return { headers: response.headers, bytes: Buffer.concat(chunks) };
      };
      const [plain, zipped] = [await read("identity"), await read("gzip")];
      expect(zipped.headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
      expect(zipped.headers["etag"]).toBe(plain.headers["etag"]);
    }
  });

  test("make a document's address cacheable for ever, and an old address redirects to the new one", async () => {
    const address = (await index())["api/v1"] ?? "";
    const { headers } = await get(address);
    expect(headers["cache-control"]).toBe("public, immutable");
    const old = await get(address.replace(/hash=.*/, "hash=OLD"));
    expect({ status: old.status, location: old.headers["location"] }).toEqual({ status: 301, location: address });
  });

  test("change for one document and v2 when a definition changes", async () => {
    const [addresses, tags] = [await index(), await etags()];
    const versions = [versionOf("v1", { size: { type: "string" }, colour: { type: "string" } })];
    const patch = { spec: { versions } };
    const options = { type: "application/merge-patch+json" };
    const name = `boxes.${CHANGED}`;
    expect((await call(cluster.transport(), "PATCH", `${DEFINITIONS}/${name}`, patch, options)).status).toBe(200);
    const document = `apis/${CHANGED}/v1`;
    await eventually(async () => expect((await index())[document]).not.toBe(addresses[document]));

    expect(differing(addresses, await index())).toEqual([document]);
    expect(differing(tags, await etags())).toEqual([document, "v2 JSON", "v2 protobuf", "v3 index"]);
    expect((await get((await index())[document] ?? "")).text).toContain("colour");
  });

  test("stay when a definition changes outside of its schema", async () => {
    const [addresses, tags] = [await index(), await etags()];
    const patch = { metadata: { labels: { team: "shop" } } };
    const options = { type: "application/merge-patch+json" };
    const name = `boxes.${CHANGED}`;
    expect((await call(cluster.transport(), "PATCH", `${DEFINITIONS}/${name}`, patch, options)).status).toBe(200);
    expect(differing(addresses, await index())).toEqual([]);
    expect(differing(tags, await etags())).toEqual([]);
  });
});

const differing = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key]).toSorted();
