import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { call } from "../../helpers/api-caller.js";
import {
  API_SERVICES,
  availabilityOf,
  Backend,
  certificateOf,
  json,
  registerApi,
  untilAvailable,
} from "../../helpers/aggregated-backend.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { requestHead, tlsSocket } from "../../helpers/tls-socket.js";
import { COLLECTION, GROUP, widgets } from "../api-registry/widgets.js";

let main: Cluster;
let api: Transport;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-aggregation-"));
  main = await startCluster({ ...quietCluster, port: 0 });
  api = main.transport();
});

afterAll(async () => {
  await main.close();
  await rm(folder, { recursive: true });
});

describe("an extension server of widgets behind the aggregator, which delegates authentication", () => {
  let server: RunningServer;

  beforeAll(async () => {
    const kubeconfig = join(folder, "main.conf");
    await writeFile(kubeconfig, main.kubeconfig());
    const { certificate, key } = certificateOf(GROUP);
    const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    await writeFile(certFile, certificate);
    await writeFile(keyFile, key);
    server = await startServer({
      resources: [widgets],
      tls: { certificate: { certFile, keyFile } },
      authentication: { delegated: { kubeconfig } },
      authorization: { delegated: { kubeconfig } },
    });
    await registerApi(api, { group: GROUP, port: Number(new URL(server.url).port) });
    await untilAvailable(api, GROUP);
  });

  afterAll(() => server.close());

  const version = COLLECTION.split("/")[3] ?? "";

  test("A-AGG-01, A-AGG-03, C-AGG-01: has its objects written and read through the main server", async () => {
    const created = await call(api, "POST", COLLECTION, {
      apiVersion: `${GROUP}/${version}`,
      kind: "Widget",
      metadata: { name: "one" },
    });
    expect(created.status, created.text).toBe(201);
    expect((await call(api, "GET", `${COLLECTION}/one`)).at("metadata.name")).toBe("one");
    expect((await call(server.transport(), "GET", `${COLLECTION}/one`)).at("metadata.uid")).toBe(
      created.at("metadata.uid"),
    );
  });

  test("DISC-1, DISC-2, DISC-4, DISC-5: has its resources in the main server's discovery, in both forms", async () => {
    await eventually(async () => {
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
      const all = JSON.parse((await call(api, "GET", "/apis", undefined, { accept })).text);
      const found = all.items.find((item: { metadata: { name: string } }) => item.metadata.name === GROUP);
      expect(found?.versions).toMatchObject([{ version, freshness: "Current", resources: [{ resource: "widgets" }] }]);
    });
    const groups = JSON.parse((await call(api, "GET", "/apis")).text).groups.map(({ name }: { name: string }) => name);
    expect(groups).toContain(GROUP);
    expect((await call(api, "GET", `/apis/${GROUP}`)).at("preferredVersion.version")).toBe(version);
    expect((await call(api, "GET", `/apis/${GROUP}/${version}`)).at("resources.0.name")).toBe("widgets");
  });

  test("AOA-1, AOA-2, AOA-4, C-AGG-08: has its kinds in the main server's OpenAPI, in both versions", async () => {
    const path = `apis/${GROUP}/${version}`;
    await eventually(async () => {
      const index = JSON.parse((await call(api, "GET", "/openapi/v3")).text);
      expect(index.paths[path]?.serverRelativeURL).toMatch(/hash=/);
      const document = await call(api, "GET", index.paths[path].serverRelativeURL);
      expect(document.status).toBe(200);
      expect(Object.keys(JSON.parse(document.text).paths)).toContain(`/${path}/namespaces/{namespace}/widgets`);
    });
    const all = JSON.parse((await call(api, "GET", "/openapi/v2")).text);
    expect(Object.keys(all.paths)).toEqual(
      expect.arrayContaining([`/${path}/namespaces/{namespace}/widgets`, "/api/v1/namespaces/{namespace}/pods"]),
    );
  });

  test("A-AGG-06, A-AGG-07: can also be used directly, without aggregator and definitions", async () => {
    const own = server.transport();
    const groups = (await call(own, "GET", "/apis")).at("groups") as { name: string }[];
    expect(groups.map(({ name }) => name)).toEqual([GROUP]);
    for (const path of [API_SERVICES, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/api/v1/namespaces"])
      expect((await call(own, "GET", path)).status).toBe(404);
  });

  test("DA-5, A-AGG-07: refuses a user without rights by name", async () => {
    const refused = await call(api, "GET", COLLECTION, undefined, {
      headers: { "impersonate-user": "stranger", "impersonate-group": "system:authenticated" },
    });
    expect(refused.status).toBe(403);
    expect(refused.at("message")).toContain('User "stranger" cannot list resource "widgets"');
  });

  test("has watches passed on, event by event", async () => {
    const stop = new AbortController();
    const response = await api.send({
      method: "GET",
      path: `${COLLECTION}?watch=true`,
      headers: { accept: "application/json" },
      signal: stop.signal,
    });
    const chunks = response.body[Symbol.asyncIterator]();
    const text = async (): Promise<string> => Buffer.from((await chunks.next()).value ?? []).toString("utf8");
    expect(await text()).toContain('"ADDED"');
    await call(api, "POST", COLLECTION, { metadata: { name: "two" } });
    expect(await text()).toContain('"two"');
    stop.abort();
  });
});

describe("requests that the aggregator sends to an extension server", () => {
  const group = "echo.example.com";
  let backend: Backend;

  beforeAll(async () => {
    backend = await Backend.start(group, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { url = "", headers } = request;
        if (url.endsWith("?unanswered")) return;
        const client = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
        json(response, 200, { url, headers, client, body: Buffer.concat(chunks).toString() });
      });
    });
    await registerApi(api, { group, port: backend.port });
    await untilAvailable(api, group);
  });

  afterAll(() => backend[Symbol.asyncDispose]());

  test("A-AGG-02, A-AUTHN-02, PRX-2, PRX-3: name the user in the headers of a front proxy, after impersonation, and have no credentials", async () => {
    const answer = await call(api, "GET", `/apis/${group}/v1/namespaces/a/things?limit=5`, undefined, {
      headers: {
        "impersonate-user": "ann",
        "impersonate-uid": "u-1",
        "impersonate-extra-Team%2Fa": "red",
        "x-remote-user": "evil",
        "x-remote-group": "system:masters",
        "x-remote-extra-scopes": "all",
      },
      repeatedHeaders: { "impersonate-group": ["system:masters", "two"] },
    });
    expect(answer.at("url")).toBe(`/apis/${group}/v1/namespaces/a/things?limit=5`);
    const headers = answer.at("headers") as Record<string, string>;
    expect(headers).toMatchObject({
      "x-remote-user": "ann",
      "x-remote-uid": "u-1",
      "x-remote-group": "system:masters, two, system:authenticated",
      "x-remote-extra-team%2fa": "red",
      "x-forwarded-proto": "https",
    });
    expect(
      Object.keys(headers).filter((name) => /^(authorization|impersonate-.*|x-remote-extra-scopes)$/.test(name)),
    ).toEqual([]);
  });

  test("AC-5: include the aggregator's own check of availability, in up to five attempts at once", async () => {
    expect(await availabilityOf(api, group)).toEqual({
      status: "True",
      reason: "Passed",
      message: "all checks passed",
    });
    await eventually(() => {
      const checks = backend.requests.filter(({ url }) => url === `/apis/${group}/v1`);
      expect(checks.length).toBeGreaterThanOrEqual(5);
      for (const { headers } of checks)
        expect(headers).toMatchObject({
          "x-remote-user": "system:kube-aggregator",
          "x-remote-group": "system:masters",
        });
    });
  });

  test("PRX-3, C-AGG-09: carry the certificate of the front proxy", async () => {
    expect((await call(api, "GET", `/apis/${group}/v1/things`)).at("client")).toBe("front-proxy-client");
  });

  test("AGG-7, AGG-8, C-AGG-07: begin once the aggregator's hook has run", async () => {
    const ready = (await call(api, "GET", "/readyz?verbose")).text;
    expect(ready).toContain("[+]poststarthook/start-kube-aggregator-informers ok\n");
  });

  test("PRX-2: end after five seconds when it does not answer", async () => {
    const late = await call(api, "GET", `/apis/${group}/v1?unanswered`);
    expect([late.status, late.text]).toEqual([503, "error trying to reach service: context deadline exceeded\n"]);
  });

  test("PRX-2: carry the client's audit id, or a new one, which the answer has too", async () => {
    const path = `/apis/${group}/v1/things`;
    const chosen = await call(api, "GET", path, undefined, { headers: { "audit-id": "mine" } });
    expect([chosen.at("headers.audit-id"), chosen.headers["audit-id"]]).toEqual(["mine", "mine"]);
    const given = await call(api, "GET", path);
    expect(given.at("headers.audit-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(given.headers["audit-id"]).toBe(given.at("headers.audit-id"));
  });

  test("carry the client's body unchanged", async () => {
    const answer = await call(api, "POST", `/apis/${group}/v1/namespaces/a/things`, "not JSON at all");
    expect(answer.at("body")).toBe("not JSON at all");
  });

  test("AC-3, PRX-4: are those for paths of the group version, not for the group", async () => {
    expect((await call(api, "GET", `/apis/${group}/v1/anything/at/all`)).at("url")).toBe(
      `/apis/${group}/v1/anything/at/all`,
    );
    expect((await call(api, "GET", `/apis/${group}`)).at("kind")).toBe("APIGroup");
    expect((await call(api, "GET", `/apis/${group}/v2/things`)).status).toBe(404);
  });

  test("PRX-2: may switch protocols, after which bytes pass both ways", async () => {
    let seen: unknown;
    backend.server.on("upgrade", ({ headers }: { headers: Record<string, string> }, socket: Duplex) => {
      seen = [headers["x-remote-user"], headers["authorization"]];
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nhello ");
      socket.on("error", () => {}).pipe(socket);
    });
    const socket = await tlsSocket(main);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
    const upgrade = ["connection: upgrade", "upgrade: echo"];
    socket.write(requestHead(main, `GET /apis/${group}/v1/namespaces/a/things/one/talk`, ...upgrade));
    await eventually(() => expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 101 [\s\S]*hello $/));
    socket.write("there");
    await eventually(() => expect(Buffer.concat(chunks).toString()).toMatch(/hello there$/));
    expect(seen).toEqual(["kubernetes-admin", undefined]);
    socket.destroy();
  });

  test("AC-2, AC-4, DISC-4: stop once its APIService is deleted, and its group is no longer served", async () => {
    await call(api, "DELETE", `${API_SERVICES}/v1.${group}`);
    await eventually(async () => expect((await call(api, "GET", `/apis/${group}`)).status).toBe(404));
    expect((await call(api, "GET", `/apis/${group}/v1/things`)).status).toBe(404);
    expect(await availabilityOf(api, group).catch(() => undefined)).toBeUndefined();
  });
});
