import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { manualClock } from "../../../src/base/time/manual-clock.js";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { serverOptions, startServer } from "../../../src/cluster/start-server.js";
import { call } from "../../helpers/api-caller.js";
import { API_SERVICES, availabilityOf, untilAvailable } from "../../helpers/aggregated-backend.js";
import { eventually } from "../../helpers/eventually.js";
import { newAuthority, openTls, servingCertificate } from "../../helpers/tls-peer.js";
import { COLLECTION, GROUP, widgets } from "../../server/api-registry/widgets.js";
import { MainServer } from "./main-server.js";

const DAY = 86_400_000;
const RIGHTS = [
  { verbs: ["get", "create"], apiGroups: [""], resources: ["namespaces"] },
  { verbs: ["get", "create", "update"], apiGroups: [""], resources: ["services"] },
  { verbs: ["get", "create", "update"], apiGroups: ["apiregistration.k8s.io"], resources: ["apiservices"] },
];

let main: MainServer;
beforeAll(async () => {
  // The main server is its own front proxy.
  main = await MainServer.start({ authentication: {} });
  await main.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
    metadata: { name: "registration" },
    rules: RIGHTS,
  });
  await main.bind("clusterrolebindings", "registration", "registration");
});
afterAll(() => main[Symbol.asyncDispose]());

const started: RunningServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

const service = { namespace: "shops", name: "widget-server" };
const SERVICE = "/api/v1/namespaces/shops/services/widget-server";
const [V1, V1BETA1] = ["v1", "v1beta1"].map((version) => `${API_SERVICES}/${version}.${GROUP}`) as [string, string];

const optionsOf = (options: ServerOptions = {}): ServerOptions => {
  const { kubeconfig } = main;
  return {
    resources: [widgets],
    authentication: { delegated: { kubeconfig } },
    authorization: { delegated: { kubeconfig } },
    coreApi: { kubeconfig },
    registration: { service },
    ...options,
  };
};

async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer(optionsOf(options));
  started.push(server);
  return server;
}

/** The serial number of the certificate that the server shows. */
async function serialOf(server: RunningServer): Promise<string> {
  const socket = await openTls(portOf(server));
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const portOf = ({ url }: RunningServer): number => Number(new URL(url).port);
const get = (path: string) => call(main.cluster.transport(), "GET", path);
const specOf = async (path: string): Promise<unknown> => (await get(path)).at("spec");
const caBundle = async (): Promise<string> =>
  Buffer.from((await get(V1)).at("spec.caBundle") as string, "base64").toString();

/** Why a server with these options does not start. */
const refusal = async (options: ServerOptions = {}): Promise<string> => {
  const server = await startServer(optionsOf(options)).catch((error: unknown) => error as Error);
  if (server instanceof Error) return server.message;
  await server.close();
  throw new Error("the server has started");
};

async function clean(): Promise<void> {
  for (const path of [V1, V1BETA1]) await call(main.cluster.transport(), "DELETE", path);
  await call(main.cluster.transport(), "DELETE", SERVICE);
}

describe("an extension server that registers itself at the main server", () => {
  afterAll(clean);

  test("A-APS-03, A-CERT-02: creates the namespace, a Service and an APIService for each version, and the main server reaches it", async () => {
    const server = await start();
    expect((await get("/api/v1/namespaces/shops")).status).toBe(200);
    expect(await specOf(SERVICE)).toMatchObject({ type: "ExternalName", externalName: "localhost" });
    const common = {
      group: GROUP,
      groupPriorityMinimum: 1000,
      caBundle: Buffer.from(server.caCertificate).toString("base64"),
      service: { ...service, port: portOf(server) },
    };
    expect(await specOf(V1)).toEqual({ ...common, version: "v1", versionPriority: 100 });
    expect(await specOf(V1BETA1)).toEqual({ ...common, version: "v1beta1", versionPriority: 99 });
    await untilAvailable(main.cluster.transport(), GROUP);
    const created = await call(main.cluster.transport(), "POST", COLLECTION, {
      apiVersion: `${GROUP}/v1`,
      kind: "Widget",
      metadata: { name: "one" },
    });
    expect(created.status, created.text).toBe(201);
  });

  test("leaves its objects at the main server when it stops, and updates them to its port at the next start", async () => {
    expect((await get(V1)).status).toBe(200);
    const uid = (await get(V1)).at("metadata.uid");
    const server = await start({ registration: { service, groupPriorityMinimum: 2000, versionPriority: 15 } });
    expect(await specOf(V1)).toMatchObject({
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { port: portOf(server) },
    });
    expect((await get(V1)).at("metadata.uid")).toBe(uid);
    await untilAvailable(main.cluster.transport(), GROUP);
  });

  test("follows its own Service to another name", async () => {
    await start({ registration: { service, host: "widgets.example" } });
    expect(await specOf(SERVICE)).toMatchObject({ externalName: "widgets.example" });
    await start();
    expect(await specOf(SERVICE)).toMatchObject({ externalName: "localhost" });
  });

  test("registers a version of a resource that is installed while it serves", async () => {
    const server = await start();
    server.registry.install({ ...widgets, group: "late.example.com", shortNames: [] });
    const path = `${API_SERVICES}/v1.late.example.com`;
    await eventually(async () => expect((await get(path)).at("spec.service.port")).toBe(portOf(server)));
  });

  test("A-CERT-03: renews its generated certificate before it expires (on a manual clock), and the main server accepts the new one", async () => {
    const clock = manualClock(Date.now());
    const server = await start({ clock });
    const before = await serialOf(server);
    await server.clock?.advance(200 * DAY);
    expect(await serialOf(server)).toBe(before);
    await server.clock?.advance(100 * DAY);
    expect(await serialOf(server)).not.toBe(before);
    expect(await caBundle()).toBe(server.caCertificate);
    await untilAvailable(main.cluster.transport(), GROUP);
    expect((await get(COLLECTION)).status).toBe(200);
  });
});

describe("an extension server that registers itself with a certificate from files", () => {
  afterAll(clean);
  const host = `${service.name}.${service.namespace}.svc`;
  const files = () => ({
    certFile: join(main.folder, "tls.crt"),
    keyFile: join(main.folder, "tls.key"),
    caFile: join(main.folder, "tls-ca.crt"),
  });

  async function write(names: readonly string[]): Promise<string> {
    const authority = newAuthority();
    const { certificate, key } = servingCertificate(authority, "widgets", names);
    const { certFile, keyFile, caFile } = files();
    await writeFile(caFile, authority.certificate);
    await writeFile(keyFile, key);
    await writeFile(certFile, certificate);
    return authority.certificate;
  }

  const tls = () => {
    const { certFile, keyFile, caFile } = files();
    return { certificate: { certFile, keyFile }, caFile };
  };

  test("A-CERT-02: does not start with a certificate for another name", async () => {
    await write(["other.svc"]);
    expect(await refusal({ tls: tls() })).toBe(
      `failed to register this server: the main server would refuse the certificate of this server, which it reaches as ${host}: x509: certificate is valid for other.svc, not ${host}`,
    );
  });

  test("A-APS-04, A-CERT-03: publishes the certificate's authority as CA bundle, also after the files have changed", async () => {
    const first = await write([host]);
    await start({ tls: tls() });
    expect(await caBundle()).toBe(first);
    await untilAvailable(main.cluster.transport(), GROUP);
    const second = await write([host]);
    await eventually(async () => expect(await caBundle()).toBe(second));
    await eventually(async () => {
      expect(await availabilityOf(main.cluster.transport(), GROUP)).toMatchObject({ status: "True" });
      expect((await get(COLLECTION)).status).toBe(200);
    });
  });
});

describe("an extension server does not start when it", () => {
  test("finds its Service created by another server, and leaves it unchanged", async () => {
    await main.ask("POST", "/api/v1/namespaces/shops/services", {
      metadata: { name: "taken" },
      spec: { selector: { a: "b" }, ports: [{ port: 443 }] },
    });
    const taken = { namespace: "shops", name: "taken" };
    expect(await refusal({ registration: { service: taken } })).toBe(
      'failed to register this server: the Service "shops/taken" of the main server is of type ClusterIP, and was made by somebody else: delete it, or register with a service of another name',
    );
    await main.ask("POST", "/api/v1/namespaces/shops/services", {
      metadata: { name: "elsewhere" },
      spec: { type: "ExternalName", externalName: "other.example" },
    });
    expect(await refusal({ registration: { service: { namespace: "shops", name: "elsewhere" } } })).toContain(
      'the Service "shops/elsewhere" of the main server leads to other.example',
    );
  });

  test("would have to take over the APIService of another service or of the main server", async () => {
    await start();
    expect(await refusal({ registration: { service: { namespace: "shops", name: "second" } } })).toBe(
      `failed to register this server: the APIService "v1.${GROUP}" of the main server leads to the service "shops/widget-server", and this server registers with "shops/second": delete the APIService, or register with that service`,
    );
    expect(await refusal({ resources: [{ ...widgets, group: "apps" }] })).toBe(
      'failed to register this server: the APIService "v1.apps" says that the main server itself serves this group version: no other server can register it',
    );
    await clean();
  });

  test("lacks a right to register, and names all rights that it needs", async () => {
    await main.ask("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/registration");
    await eventually(async () =>
      expect(await refusal()).toBe(
        'failed to register this server: cannot get namespaces "shops" of the main server: namespaces "shops" is forbidden: User "extension" cannot get resource "namespaces" in API group "" in the namespace "shops"; to register, the account of coreApi (--kubeconfig) needs the verbs get and create of namespaces, get, create and update of services in the namespace "shops", and get, create and update of apiservices.apiregistration.k8s.io',
      ),
    );
  });
});

test("invalid options of an extension server's registration are reported together", () => {
  const options = serverOptions({
    port: false,
    host: "0.0.0.0",
    registration: { service: { namespace: "", name: "Shop" }, groupPriorityMinimum: 30_000, versionPriority: 0 },
  });
  expect(options.validate()).toEqual([
    expect.stringContaining('--register-service "Shop" must name a Service as NAMESPACE/NAME: '),
    "--register-group-priority-minimum 30000 must be from 1 to 20000",
    "--register-version-priority 0 must be from 1 to 1000",
    "registration needs the main server to register at: give coreApi or --kubeconfig",
    "registration needs a port with TLS, which the main server connects to",
    "the server listens on 0.0.0.0: give registration.host or --register-host, by which the main server reaches it",
  ]);
});
