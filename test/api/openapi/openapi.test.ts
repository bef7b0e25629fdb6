import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aggregatedDiscovery } from "../../../src/api/discovery/index.js";
import { builtInApi, servedGroupVersions } from "../../../src/api/facts/index.js";
import { openApiV2Json, openApiV2Protobuf, openApiV3Document, openApiV3Index } from "../../../src/api/openapi/index.js";
import { realTool } from "../../helpers/real-tools.js";

const api = builtInApi();

const parse = (bytes: Uint8Array | undefined): Record<string, never> =>
  JSON.parse(new TextDecoder().decode(bytes)) as Record<string, never>;

/** Every "$ref" in a document. */
function references(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, held] of Object.entries(value)) {
    if (key === "$ref" && typeof held === "string") found.add(held);
    else references(held, found);
  }
  return found;
}

describe("OpenAPI v3 of a running server", () => {
  const pathOf = (groupVersion: string): string => `${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;

  test("has a document for every served version, group and path of the server's own, at the address its index gives", () => {
    const paths = Object.keys(openApiV3Index(api).paths);
    const versions = servedGroupVersions().map(pathOf);
    const groups = new Set(versions.filter((one) => one.startsWith("apis/")).map((one) => one.replace(/\/[^/]*$/, "")));
    const own = [".well-known/openid-configuration", "api", "apis", "openid/v1/jwks", "version"];
    expect(paths).toEqual([...versions, ...groups, ...own].toSorted());
    for (const path of paths) {
      expect(openApiV3Index(api).paths[path]?.serverRelativeURL).toMatch(
        new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`),
      );
      expect(openApiV3Document(api, path)).toEqual(openApiV3Document(api, path));
    }
    expect(openApiV3Document(api, "apis/apps/v2")).toBeUndefined();
  });

  test("has no reference to a missing definition", () => {
    for (const groupVersion of servedGroupVersions()) {
      const document = parse(openApiV3Document(api, pathOf(groupVersion))) as unknown as {
        components: { schemas: object };
      };
      const missing = [...references(document)].filter(
        (ref) => !Object.hasOwn(document.components.schemas, ref.replace("#/components/schemas/", "")),
      );
      expect(missing).toEqual([]);
    }
  });

  test("describes PATCH media types and merge keys in the form that kubectl looks for", () => {
    const document = parse(openApiV3Document(api, "api/v1")) as unknown as {
      paths: Record<
        string,
        { patch: { parameters: { name: string; in: string }[]; requestBody: { content: object } } }
      >;
      components: { schemas: Record<string, { properties: Record<string, unknown> }> };
    };
    const patch = document.paths["/api/v1/namespaces/{namespace}/services/{name}"]?.patch;
    expect(patch?.parameters.map(({ name }) => name)).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    expect(Object.keys(patch?.requestBody.content ?? {})).toContain("application/strategic-merge-patch+json");
    expect(patch).toMatchObject({
      "x-kubernetes-action": "patch",
      "x-kubernetes-group-version-kind": { group: "", kind: "Service", version: "v1" },
    });
    expect(document.components.schemas["io.k8s.api.core.v1.ServiceSpec"]?.properties["ports"]).toEqual({
      description: expect.stringMatching(/\.$/) as string,
      type: "array",
      items: { allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ServicePort" }], default: {} },
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "port",
      "x-kubernetes-patch-strategy": "merge",
    });
  });
});

test("OpenAPI v2 of a running server has no reference to a missing definition", () => {
  const document = parse(openApiV2Json(api)) as unknown as { definitions: object };
  const missing = [...references(document)].filter(
    (ref) => !Object.hasOwn(document.definitions, ref.replace("#/definitions/", "")),
  );
  expect(missing).toEqual([]);
});

const kubectl = realTool("kubectl");

describe.skipIf(kubectl.missing !== undefined)(`the real kubectl ${kubectl.missing ?? ""}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-openapi-"));
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const [type, body] = answer(pathname, request.headers.accept ?? "");
      response.writeHead(body === undefined ? 404 : 200, { "content-type": type });
      response.end(body instanceof Uint8Array ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function run(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { port } = server.address() as AddressInfo;
    const flags = [`--server=http://127.0.0.1:${port}`, `--cache-dir=${join(folder, "cache")}`];
    const env = { HOME: folder, KUBECONFIG: join(folder, "none"), LC_ALL: "C" };
    return new Promise((resolve) => {
      execFile(kubectl.path, [...flags, ...words], { env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
    });
  }

  test("lists every served resource from aggregated discovery", async () => {
    const { stdout } = await run("api-resources", "--no-headers");
    expect(stdout.trim().split("\n")).toHaveLength(71);
  });

  test("explains a field by v3, with types, enums and required fields", async () => {
    const { stdout } = await run("explain", "deploy.spec.template.spec.restartPolicy");
    expect(stdout).toContain("FIELD: restartPolicy <string>\nENUM:\n    Always\n    Never\n    OnFailure\n");
    const selector = await run("explain", "deploy.spec");
    expect(selector.stdout).toContain("  selector\t<LabelSelector> -required-\n");
    expect((await run("explain", "deploy.spec.nothing")).stderr).toBe('error: field "nothing" does not exist\n');
  });

  test("explains a field by v2, which it reads as protobuf", async () => {
    const { stdout } = await run("explain", "deploy.spec.strategy", "--output=plaintext-openapiv2");
    expect(stdout).toContain("   rollingUpdate\t<Object>\n");
  });

  test("validates the objects of a kind: List with v2", async () => {
    const file = join(folder, "list.json");
    const items = [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, dataa: {} },
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "b" },
        spec: { replicas: "x", selector: {}, template: {} },
      },
    ];
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const { stderr } = await run("create", "-f", file, "--dry-run=client");
    expect(stderr).toContain('ValidationError(ConfigMap): unknown field "dataa" in io.k8s.api.core.v1.ConfigMap');
    expect(stderr).toContain(
      'invalid type for io.k8s.api.apps.v1.DeploymentSpec.replicas: got "string", expected "integer"',
    );
  });
});

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

function answer(path: string, accept: string): readonly [type: string, body: object | undefined] {
  if (path === "/api" || path === "/apis")
    return [AGGREGATED, aggregatedDiscovery(api, path === "/api" ? "api" : "apis")];
  if (path === "/openapi/v2") {
    return accept.includes("protobuf")
      ? ["application/com.github.proto-openapi.spec.v2.v1.0+protobuf", openApiV2Protobuf(api)]
      : ["application/json", openApiV2Json(api)];
  }
  if (path === "/openapi/v3") return ["application/json", openApiV3Index(api)];
  return ["application/json", openApiV3Document(api, path.replace("/openapi/v3/", ""))];
}
