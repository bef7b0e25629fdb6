import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly body: string;
}

/** A server that answers discovery by itself, and everything else as it is told. */
export class RecordedServer implements AsyncDisposable {
  private constructor(private readonly server: Server) {}

  static async start(answer: (request: RecordedRequest) => RecordedResponse): Promise<RecordedServer> {
    const server = createServer((request, response) => {
      const respond = ({ status, body }: RecordedResponse): void =>
        void response.writeHead(status, { "content-type": "application/json" }).end(body);
      const known = discoveryAnswer(request.url ?? "");
      if (known !== undefined) respond(known);
      else void readRequest(request).then((read) => respond(answer(read)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new RecordedServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function readRequest(request: IncomingMessage): Promise<RecordedRequest> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const { method = "", url = "", headers } = request;
  return { method, path: url.split("?")[0] ?? "", contentType: headers["content-type"] ?? "", body };
}

/** [groupVersion, plural, kind, namespaced]. The old group of deployments comes first, as it did when this was recorded. */
const RESOURCES = [
  ["v1", "configmaps", "ConfigMap", true],
  ["v1", "services", "Service", true],
  ["extensions/v1beta1", "deployments", "Deployment", true],
  ["apps/v1", "deployments", "Deployment", true],
  ["storage.k8s.io/v1", "storageclasses", "StorageClass", false],
  ["storage.k8s.io/v1beta1", "storageclasses", "StorageClass", false],
  ["storage.k8s.io/v0", "storageclasses", "StorageClass", false],
  ["company.com/v1", "bars", "Bar", true],
] as const;

function discoveryAnswer(url: string): RecordedResponse | undefined {
  const path = url.split("?")[0] ?? "";
  const versions = [...new Set(RESOURCES.map(([groupVersion]) => groupVersion))];
  if (path === "/api") return ok({ kind: "APIVersions", versions: ["v1"] });
  if (path === "/apis") {
    const groups = new Set(versions.filter((version) => version.includes("/")).map((version) => version.split("/")[0]));
    return ok({
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [...groups].map((name) => group(name ?? "", versions)),
    });
  }
  const groupVersion = path.replace(/^\/apis?\//, "");
  const found = RESOURCES.filter(([version]) => version === groupVersion);
  if (found.length === 0) return undefined;
  const verbs = ["create", "delete", "get", "list", "patch", "update"];
  const resources = found.map(([, name, kind, namespaced]) => ({
    name,
    singularName: kind.toLowerCase(),
    kind,
    namespaced,
    verbs,
  }));
  return ok({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources });
}

function group(name: string, versions: readonly string[]): object {
  const own = versions
    .filter((version) => version.startsWith(`${name}/`))
    .map((groupVersion) => ({ groupVersion, version: groupVersion.split("/")[1] }));
  return { name, versions: own, preferredVersion: own[0] };
}

const ok = (body: object): RecordedResponse => ({ status: 200, body: JSON.stringify(body) });
