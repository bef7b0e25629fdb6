import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { encodeOpenApiV2 } from "../../src/api/openapi/v2-protobuf.js";

type Schema = Readonly<Record<string, unknown>>;

export interface Documents {
  /** Plural names to kinds of example.com/v1; a kind's schema is the one of its name, if there is one. */
  readonly kinds: Readonly<Record<string, string>>;
  /** In the form of OpenAPI v3. */
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly withoutV3?: boolean;
}

export interface DocumentServer {
  readonly url: string;
  close(): Promise<void>;
}

const GROUP = "example.com";
const VERSION = "v1";
const PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** A server of one group that has nothing but discovery and OpenAPI documents. */
export async function serveDocuments(documents: Documents): Promise<DocumentServer> {
  const schemas = withKinds(documents);
  const answers = jsonAnswers(documents, schemas);
  const v2 = encodeOpenApiV2({
    swagger: "2.0",
    info: { title: "", version: "" },
    paths: {},
    definitions: asV2(schemas),
    securityDefinitions: {},
    security: [],
  });
  const server = createServer(({ url = "" }, response) => {
    const path = url.split("?", 1)[0] ?? "";
    const answer = answers[path];
    if (path === "/openapi/v2") return respond(response, 200, PROTOBUF, v2);
    if (answer === undefined) return respond(response, 404, "text/plain", "404 page not found\n");
    respond(response, 200, "application/json", JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function respond(response: ServerResponse, code: number, type: string, body: string | Uint8Array): void {
  response.writeHead(code, { "content-type": type }).end(body);
}

const kindOf = (kind: string): Schema => ({ group: GROUP, version: VERSION, kind });

function withKinds({ kinds, schemas }: Documents): Record<string, Schema> {
  const names = new Set(Object.values(kinds));
  const marked = Object.entries(schemas).map(([name, schema]): [string, Schema] => [
    name,
    names.has(name) ? { ...schema, "x-kubernetes-group-version-kind": [kindOf(name)] } : schema,
  ]);
  return Object.fromEntries(marked);
}

function jsonAnswers({ kinds, withoutV3 = false }: Documents, schemas: Schema): Record<string, unknown> {
  const groupVersion = `${GROUP}/${VERSION}`;
  const version = { groupVersion, version: VERSION };
  const resources = Object.entries(kinds).map(([name, kind]) => ({
    name,
    singularName: kind.toLowerCase(),
    namespaced: true,
    kind,
    verbs: ["get", "list"],
  }));
  const paths = Object.entries(kinds).map(([name, kind]) => [
    `/apis/${groupVersion}/namespaces/{namespace}/${name}`,
    { get: { "x-kubernetes-group-version-kind": kindOf(kind) } },
  ]);
  const documents = {
    "/openapi/v3": {
      paths: { [`apis/${groupVersion}`]: { serverRelativeURL: `/openapi/v3/apis/${groupVersion}?hash=A` } },
    },
    [`/openapi/v3/apis/${groupVersion}`]: {
      openapi: "3.0.0",
      paths: Object.fromEntries(paths),
      components: { schemas },
    },
  };
  return {
    "/api": { kind: "APIVersions", versions: [] },
    "/apis": {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [{ name: GROUP, versions: [version], preferredVersion: version }],
    },
    [`/apis/${groupVersion}`]: { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources },
    ...(withoutV3 ? {} : documents),
  };
}

/** What OpenAPI v2 has of schemas of v3: references stand alone, and there is no allOf. */
function asV2(schemas: Readonly<Record<string, Schema>>): Record<string, Record<string, unknown>> {
  const text = JSON.stringify(schemas, (key, value: unknown) => {
    if (key === "allOf") return undefined;
    const [only, ...others] = allOf(value);
    return only !== undefined && others.length === 0 ? only : value;
  });
  return JSON.parse(text.replaceAll("#/components/schemas/", "#/definitions/")) as Record<
    string,
    Record<string, unknown>
  >;
}

function allOf(value: unknown): readonly unknown[] {
  const parts = typeof value === "object" && value !== null && "allOf" in value ? value.allOf : undefined;
  return Array.isArray(parts) ? parts : [];
}
