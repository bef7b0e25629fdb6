import { once } from "node:events";
import { createServer, type Server as HttpsServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { objects, object } from "../../src/machinery/meta/access.js";
import { call } from "./api-caller.js";
import { eventually } from "./eventually.js";
import { newAuthority, servingCertificate } from "./tls-peer.js";

const NAMESPACE = "default";
export const API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";

/** The authority of the backends' certificates. */
export const backendAuthority = newAuthority();
export const caBundle: string = Buffer.from(backendAuthority.certificate).toString("base64");

/** Creates a Service that leads to a port of this machine, and an APIService of the group's v1 that leads there. */
export async function registerApi(
  api: Transport,
  { group, port, spec = {} }: { readonly group: string; readonly port: number; readonly spec?: object },
): Promise<void> {
  const service = serviceOf(group);
  await call(api, "POST", `/api/v1/namespaces/${NAMESPACE}/services`, {
    metadata: { name: service },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  const created = await call(api, "POST", API_SERVICES, {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      caBundle,
      service: { namespace: NAMESPACE, name: service, port },
      ...spec,
    },
  });
  expect(created.status, created.text).toBe(201);
}

/** The Service of {@link registerApi}; its certificate is for "<name>.default.svc". */
export const serviceOf = (group: string): string => group.split(".")[0] ?? "";

/** The certificate of a group's service. */
export const certificateOf = (group: string) =>
  servingCertificate(backendAuthority, "backend", [`${serviceOf(group)}.${NAMESPACE}.svc`]);

export interface Availability {
  readonly status: unknown;
  readonly reason: unknown;
  readonly message: unknown;
}

/** The condition Available of the group's v1; undefined while there is none. */
export async function availabilityOf(api: Transport, group: string): Promise<Availability | undefined> {
  const answer = await call(api, "GET", `${API_SERVICES}/v1.${group}`);
  const found = objects(object(JSON.parse(answer.text).status)["conditions"]).find(({ type }) => type === "Available");
  return found && { status: found["status"], reason: found["reason"], message: found["message"] };
}

export async function untilAvailable(api: Transport, group: string): Promise<void> {
  await eventually(async () => expect(await availabilityOf(api, group)).toMatchObject({ status: "True" }));
}

/** A server behind the aggregator that answers as a test says. */
export class Backend implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  /** How many connections were made to it. */
  connections = 0;
  /** What it was asked, in order. */
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage["headers"] }[] =
    [];

  private constructor(
    readonly server: HttpsServer,
    readonly group: string,
  ) {}

  /** Serves discovery of one namespaced resource, "things", and `answer` for everything else. */
  static async start(
    group: string,
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    certificate: { readonly certificate: string; readonly key: string } = certificateOf(group),
  ): Promise<Backend> {
    const server = createServer({
      cert: certificate.certificate,
      key: certificate.key,
      requestCert: true,
      rejectUnauthorized: false,
    });
    const backend = new Backend(server, group);
    server.on("connection", (socket: Socket) => {
      backend.connections += 1;
      backend.#sockets.add(socket);
      socket.on("close", () => backend.#sockets.delete(socket)).on("error", () => {});
    });
    server.on("request", (request, response) => {
      const { method = "", url = "", headers } = request;
      backend.requests.push({ method, url, headers });
      if (method === "GET" && url === `/apis/${group}/v1`) return json(response, 200, thingsOf(group));
      answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return backend;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, "close").catch(() => {});
  }
}

export function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** The resources of {@link Backend}. */
export const thingsOf = (group: string, verbs = ["create", "delete", "get", "list", "watch"]): object => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1`,
  resources: [{ name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs, shortNames: ["th"] }],
});
