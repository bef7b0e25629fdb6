import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { composeServer } from "../../../src/cluster/compose-server.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { startTcpProxy } from "../../helpers/tcp-proxy.js";
import { freePorts } from "../../helpers/free-ports.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { COLLECTION, GROUP, widgets } from "../../server/api-registry/widgets.js";
import { authority, certified, get, MainServer } from "./main-server.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`kubectl with a main server's token: ${kubectl.missing}\n`);

const CONFIG_MAP = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const MERGE = "application/merge-patch+json";

let main: MainServer;
let server: RunningServer;
let tokens: { readonly reader: string; readonly stranger: string };
const reports: string[] = [];

/** Starts a server of widgets that asks the main server about everybody. */
const extension = (options: ServerOptions = {}): Promise<RunningServer> =>
  startServer({
    resources: [widgets],
    authentication: { delegated: { kubeconfig: main.kubeconfig } },
    authorization: { delegated: { kubeconfig: main.kubeconfig } },
    onError: (error) => reports.push(String(error)),
    ...options,
  });

/** As a front proxy names the account that may read widgets. */
const READER = { "x-remote-user": "system:serviceaccount:default:reader" };

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  main = await MainServer.start();
  tokens = { reader: await main.account("reader"), stranger: await main.account("stranger") };
  await main.allow("reader", ["get", "list"], GROUP, "widgets");
  server = await extension();
});

afterAll(async () => {
  await server.close();
  await main[Symbol.asyncDispose]();
});

describe.skipIf(kubectl.missing !== undefined)("a server that asks a main server about users lets kubectl", () => {
  const as = (token: string): Promise<RealKubectl> => {
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "widgets",
          cluster: {
            server: server.url,
            "certificate-authority-data": Buffer.from(server.caCertificate).toString("base64"),
          },
        },
      ],
      users: [{ name: "user", user: { token } }],
      contexts: [{ name: "widgets", context: { cluster: "widgets", user: "user" } }],
      "current-context": "widgets",
    };
    return realKubectl({ kubeconfig: () => JSON.stringify(config) });
  };

  test("in by a role of the main server, for the role's verbs alone (A-OPT-01, A-AUTHN-06, DA-3, DA-5)", async () => {
    await using real = await as(tokens.reader);
    expect(await real.run("get widgets")).toMatchObject({
      code: 0,
      stderr: "No resources found in default namespace.\n",
    });
    const deleted = await real.run("delete widgets --all");
    expect(deleted).toMatchObject({ code: 0 });
    const created = await real.run("create -f -", JSON.stringify(widget("one")));
    expect(created.stderr).toContain(
      'widgets.stable.example.com is forbidden: User "system:serviceaccount:default:reader" cannot create resource "widgets" in API group "stable.example.com" in the namespace "default"',
    );
  });

  test("not in without a role, nor with a wrong token", async () => {
    await using stranger = await as(tokens.stranger);
    expect((await stranger.run("get --raw " + COLLECTION)).stderr).toContain("Forbidden");
    await using nobody = await as("nonsense");
    expect((await nobody.run("get --raw " + COLLECTION)).stderr).toContain(
      "You must be logged in to the server (Unauthorized)",
    );
  });
});

const widget = (name: string) => ({ apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name } });

describe("A-AUTHN-05: certificates at an extension server", () => {
  test("DA-3, DA-5: of the main server's users are accepted; members of system:masters may do everything", async () => {
    const pairOf = (user: { user: string; groups?: string[] }) => {
      const { users } = JSON.parse(main.cluster.kubeconfig(user)) as {
        users: { user: Record<string, string> }[];
      };
      const data = (field: string) => Buffer.from(users[0]?.user[`client-${field}-data`] ?? "", "base64").toString();
      return { certificate: data("certificate"), key: data("key") };
    };
    expect(await get(server, COLLECTION, {}, pairOf({ user: "carol" }))).toMatchObject({
      status: 403,
      text: expect.stringContaining('User \\"carol\\" cannot list'),
    });
    const root = pairOf({ user: "root", groups: ["system:masters"] });
    expect((await get(server, COLLECTION, {}, root)).status).toBe(200);
  });

  test("DA-2: of the published front proxies alone may name a user in headers", async () => {
    const proxy = certified(main.proxies, "proxies", "aggregator");
    expect((await get(server, COLLECTION, READER, proxy)).status).toBe(200);
    expect((await get(server, COLLECTION, READER)).text).toContain('User \\"system:anonymous\\" cannot list');
    const other = certified(main.proxies, "proxies", "other");
    expect((await get(server, COLLECTION, READER, other)).status).toBe(401);
    const forged = certified(authority("proxies"), "proxies", "aggregator");
    expect((await get(server, COLLECTION, READER, forged)).status).toBe(401);
  });

  test("DA-2: of another authority are accepted as soon as the main server publishes it", async () => {
    const next = authority("next proxies");
    const proxy = certified(next, "next proxies", "aggregator");
    expect((await get(server, COLLECTION, READER, proxy)).status).toBe(401);
    await main.ask("PATCH", CONFIG_MAP, { data: { "requestheader-client-ca-file": next.certificate } }, MERGE);
    await eventually(async () => expect((await get(server, COLLECTION, READER, proxy)).status).toBe(200));
  });
});

describe("A-AUTHN-06: a token at an extension server", () => {
  test("DA-1: identifies the user where neither a front proxy nor a client certificate does", async () => {
    const proxy = certified(main.proxies, "proxies", "aggregator");
    const stranger = bearer(tokens.stranger);
    expect((await get(server, COLLECTION, { ...READER, ...stranger }, proxy)).status).toBe(200);
    expect((await get(server, COLLECTION, { ...READER, ...stranger })).text).toContain(
      "serviceaccount:default:stranger",
    );
    expect((await get(server, COLLECTION, bearer(tokens.reader))).status).toBe(200);
    expect((await get(server, COLLECTION, bearer("nonsense"))).status).toBe(401);
  });

  test("DA-4: is accepted also where published authorities are not looked up, whose certificates then are not", async () => {
    const delegated = { kubeconfig: main.kubeconfig, skipLookup: true };
    await using other = await extension({ authentication: { delegated } });
    const proxy = certified(main.proxies, "proxies", "aggregator");
    expect((await get(other, COLLECTION, READER, proxy)).status).toBe(401);
    expect((await get(other, COLLECTION, bearer(tokens.reader))).status).toBe(200);
  });
});

test("DA-5: an extension server answers probes without rights, and no other path", async () => {
  expect((await get(server, "/readyz")).text).toBe("ok");
  expect((await get(server, "/readyz/ping")).status).toBe(403);
  expect((await get(server, "/version")).status).toBe(200);
});

test("an extension server ignores invalid authorities of the main server, and reports the fault once", async () => {
  const proxy = certified(main.proxies, "proxies", "aggregator");
  reports.length = 0;
  await main.ask("PATCH", CONFIG_MAP, { data: { "requestheader-username-headers": "no list" } }, MERGE);
  await eventually(() =>
    expect(reports.join()).toContain("kube-system/extension-apiserver-authentication failed with"),
  );
  expect((await get(server, COLLECTION, READER, proxy)).status).toBe(200);
  await main.ask("PATCH", CONFIG_MAP, { data: { "requestheader-username-headers": '["X-Remote-User"]' } }, MERGE);
});

describe("a main server that does not answer", () => {
  test("keeps an extension server from starting, unless it tolerates a failed lookup; the lookup is repeated later", async () => {
    const [port = 0] = await freePorts(1);
    const kubeconfig = await main.kubeconfigAt("later.conf", `127.0.0.1:${port}`);
    await expect(extension({ authentication: { delegated: { kubeconfig } } })).rejects.toThrow(
      /^unable to load configmap based request-header-client-ca-file: Get "https:.*configmaps\/extension-apiserver-authentication\?timeout=10s": dial tcp .*: connect: connection refused$/,
    );
    const warnings: string[] = [];
    await using late = await extension({
      authentication: { delegated: { kubeconfig, tolerateLookupFailure: true } },
      authorization: { delegated: { kubeconfig } },
      onWarning: (warning) => warnings.push(warning),
    });
    expect(warnings[0]).toMatch(/^Error looking up in-cluster authentication configuration: Get "https:/);
    expect((await get(late, "/livez")).status).toBe(200);
    expect((await get(late, COLLECTION, bearer(tokens.reader))).status).toBe(401);
    expect(await get(late, COLLECTION)).toMatchObject({
      status: 500,
      text: expect.stringMatching(
        /^Internal Server Error: "\/apis\/stable.example.com\/v1\/namespaces\/default\/widgets": Post "https:.*connection refused\n$/,
      ),
    });
    const way = await startTcpProxy(Number(new URL(main.cluster.url).port), port);
    try {
      expect((await get(late, COLLECTION, bearer(tokens.reader))).status).toBe(200);
      const proxy = certified(main.proxies, "proxies", "aggregator");
      await eventually(async () => expect((await get(late, COLLECTION, READER, proxy)).status).toBe(200));
    } finally {
      await way.close();
    }
  });

  test("is waited for until the start is aborted", async () => {
    const way = await startTcpProxy(Number(new URL(main.cluster.url).port));
    way.cut("silent");
    const kubeconfig = await main.kubeconfigAt("silent.conf", way.address);
    const stop = new AbortController();
    const starting = extension({ authentication: { delegated: { kubeconfig } }, signal: stop.signal });
    void eventually(() => expect(way.connections).toBeGreaterThan(0)).then(() => stop.abort(new Error("enough")));
    await expect(starting).rejects.toThrow("enough");
    await way.close();
  });

  test("is not needed for answers that the extension server has cached", async () => {
    // Answers that the other tests have had may end at any time.
    await using fresh = await extension();
    expect((await get(fresh, COLLECTION, bearer(tokens.reader))).status).toBe(200);
    main.way.cut();
    try {
      expect((await get(fresh, COLLECTION, bearer(tokens.reader))).status).toBe(200);
    } finally {
      main.way.mend();
    }
  });
});

test("an extension server that starts without the main server's ConfigMap follows it once it exists", async () => {
  const admission = { disable: ["NamespaceLifecycle", "ServiceAccount"] };
  // A server of Kubernetes' kinds without the controller that publishes the ConfigMap.
  await using unready = await composeServer(
    { admission },
    { runtimeConfig: {}, records: builtinRecords, steps: () => [] },
  );
  const kubeconfig = join(main.folder, "unready.conf");
  await writeFile(kubeconfig, unready.kubeconfig());
  await using one = await extension({ authentication: { delegated: { kubeconfig } } });
  const proxies = authority("late");
  const pair = certified(proxies, "late", "aggregator");
  expect((await get(one, COLLECTION, READER, pair)).status).toBe(401);
  await call(unready.transport(), "POST", CONFIG_MAP.slice(0, CONFIG_MAP.lastIndexOf("/")), {
    metadata: { name: "extension-apiserver-authentication" },
    data: {
      "requestheader-client-ca-file": proxies.certificate,
      "requestheader-username-headers": '["x-remote-user"]',
    },
  });
  await eventually(async () => expect((await get(one, COLLECTION, READER, pair)).status).toBe(200));
});

describe("an extension server refuses delegated authentication", () => {
  test.each<[string, ServerOptions, RegExp]>([
    [
      "outside a Pod without a kubeconfig",
      { authentication: { delegated: {} } },
      /^failed to get delegated authentication kubeconfig: failed to get delegated authentication kubeconfig: unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined$/,
    ],
    [
      "a kubeconfig for rights that does not exist",
      { authorization: { delegated: { kubeconfig: "/nowhere/kubeconfig" } }, authentication: {} },
      /^failed to get delegated authorization kubeconfig: .*\/nowhere\/kubeconfig/,
    ],
    [
      "authorizers beside a main server",
      { authorization: { delegated: {}, modes: ["RBAC"] } },
      /authorization is delegated to a main server/,
    ],
    [
      "a path with a star inside",
      { authorization: { delegated: { alwaysAllowPaths: ["/a*b"] } } },
      /only trailing \* allowed in "a\*b"/,
    ],
    [
      "certificates of the main server without TLS",
      { port: false, http: {}, authentication: { delegated: {} } },
      /http alone cannot authenticate by certificates of the main server's authorities/,
    ],
  ])("%s", async (_, options, fault) => {
    await expect(startServer(options)).rejects.toThrow(fault);
  });

  test("DA-6: an extension server outside a Pod whose main server is optional starts with warnings, and forbids all but probes", async () => {
    const warnings: string[] = [];
    const alone = await startServer({
      resources: [widgets],
      authentication: { delegated: { optional: true } },
      authorization: { delegated: { optional: true } },
      onWarning: (warning) => warnings.push(warning),
    });
    try {
      const unread = (key: string, kind: string) =>
        `No authentication-kubeconfig provided in order to lookup ${key} in configmap/extension-apiserver-authentication in kube-system, so ${kind} authentication won't work.`;
      expect(warnings.toSorted()).toEqual([
        unread("client-ca-file", "client certificate"),
        unread("requestheader-client-ca-file", "request-header client certificate"),
        "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.",
      ]);
      expect((await get(alone, "/healthz")).status).toBe(200);
      expect((await get(alone, COLLECTION)).status).toBe(403);
    } finally {
      await alone.close();
    }
  });
});

test("an extension server warns about front-proxy headers where no main server publishes a front proxy", async () => {
  const warnings: string[] = [];
  const requestHeader = {
    clientCaFile: join(main.folder, "proxies.pem"),
    usernameHeaders: ["X-User"],
    groupHeaders: ["x-remote-GROUP"],
    extraHeadersPrefixes: ["X-Extra-"],
  };
  await using _ = await extension({
    authentication: { requestHeader, delegated: { kubeconfig: main.kubeconfig } },
    onWarning: (warning) => warnings.push(warning),
  });
  expect(warnings).toEqual([
    "--requestheader-username-headers is set without specifying the standard X-Remote-User header - API aggregation will not work",
    "--requestheader-extra-headers-prefix is set without specifying the standard X-Remote-Extra- header prefix - API aggregation will not work",
  ]);
});

test("an extension server does not start when its account may not read the main server's ConfigMap, and names the missing role", async () => {
  const kubeconfig = join(main.folder, "stranger.conf");
  await writeFile(kubeconfig, main.cluster.kubeconfig({ user: "stranger" }));
  const warnings: string[] = [];
  const starting = extension({
    authentication: { delegated: { kubeconfig } },
    onWarning: (warning) => warnings.push(warning),
  });
  await expect(starting).rejects.toThrow(
    'unable to load configmap based request-header-client-ca-file: configmaps "extension-apiserver-authentication" is forbidden: User "stranger" cannot get resource "configmaps"',
  );
  expect(warnings).toEqual([
    "Unable to get configmap/extension-apiserver-authentication in kube-system.  Usually fixed by 'kubectl create rolebinding -n kube-system ROLEBINDING_NAME --role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA'",
  ]);
});
