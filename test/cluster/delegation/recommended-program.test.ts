import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import { type RecommendedOptions, recommendedOptions } from "../../../src/cluster/stages/recommended-options.js";
import { type ServerProgram, serverCommand } from "../../../src/cluster/stages/server-command.js";
import type { GenericServer } from "../../../src/cluster/stages/generic-server.js";
import { serverOptions, startServer } from "../../../src/cluster/start-server.js";
import { forbidden } from "../../../src/machinery/errors/status-error.js";
import type { ApiAccess } from "../../../src/server/admission/plugin.js";
import type { OwnAdmissionPlugin } from "../../../src/server/admission/enabled-plugins.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { realTool } from "../../helpers/real-tools.js";
import { realKubectl } from "../../helpers/run-real-kubectl.js";
import { COLLECTION, GROUP, widgets } from "../../server/api-registry/widgets.js";
import { startTcpProxy } from "../../helpers/tcp-proxy.js";
import { MainServer } from "./main-server.js";

const kubectl = realTool("kubectl");

let main: MainServer;
beforeAll(async () => {
  main = await MainServer.start();
  await main.bind("clusterrolebindings", "view", "view");
});
afterAll(() => main[Symbol.asyncDispose]());

/**
 * Widgets may have the colours that the main server has ConfigMaps of: the plugin of the texts, which looks toppings up in an informer. Its file may
 * name colours that need no ConfigMap.
 */
function knownColours(): OwnAdmissionPlugin {
  const free = new Set<string>();
  let colours: ReturnType<typeof informerOf> | undefined;
  const informerOf = ({ informers }: ApiAccess) => informers.of("v1", "ConfigMap", { namespace: "colours" });
  return {
    configure: ({ value }) => {
      for (const colour of (value as { free?: string[] }).free ?? []) free.add(colour);
    },
    initialize: ({ coreApi }) => {
      colours = informerOf(coreApi);
    },
    plugin: {
      name: "KnownColours",
      handles: (operation, { resource }) => ["CREATE", "UPDATE"].includes(operation) && resource === "widgets",
      validate({ object, resource }) {
        const { name = "" } = object?.metadata ?? {};
        const { colours: wanted = [] } = (object?.["spec"] ?? {}) as { colours?: string[] };
        if (colours?.hasSynced() !== true) throw forbidden(resource, name, "not yet ready to handle request");
        for (const colour of wanted) {
          if (free.has(colour) || colours.cache.has(`colours/${colour}`)) continue;
          throw forbidden(resource, name, `unknown colour: ${colour}`);
        }
      },
    },
  };
}

const program = (options: ServerOptions, recommended?: RecommendedOptions): ServerProgram => ({
  name: "widget-server",
  description: "Serves widgets.",
  version: "v1.0.0",
  options: { resources: [widgets], ...options },
  ...(recommended && { recommended }),
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program until `stop` aborts, or to its end. */
async function run(what: ServerProgram, args: readonly string[], signal = new AbortController().signal): Promise<Ran> {
  let [out, err] = ["", ""];
  const code = await serverCommand(what).run(args, {
    clock: systemClock,
    cwd: main.folder,
    env: {},
    signal,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  return { code, out, err };
}

const widget = (name: string, ...colours: string[]) =>
  JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name }, spec: { colours } });

test.skipIf(kubectl.missing !== undefined)(
  "a program with the recommended options authenticates, authorizes and admits by the main server (A-AGG-07, A-OPT-05, A-ADM-09, A-ADM-12, A-ADM-13, B-GOAL-02)",
  async () => {
    const token = await main.account("painter");
    await main.allow("painter", ["create", "get"], GROUP, "widgets");
    await main.ask("POST", "/api/v1/namespaces", { metadata: { name: "colours" } });
    await main.ask("POST", "/api/v1/namespaces/colours/configmaps", { metadata: { name: "red" } });
    const admission = {
      apiVersion: "apiserver.k8s.io/v1alpha1",
      kind: "AdmissionConfiguration",
      plugins: [{ name: "KnownColours", configuration: { apiVersion: "v1", kind: "Colours", free: ["white"] } }],
    };
    await writeFile(join(main.folder, "admission.yaml"), JSON.stringify(admission));
    const [port = 0] = await freePorts(1);
    const stop = new AbortController();
    const ended = run(
      program({ admission: { plugins: [knownColours()] } }, recommendedOptions("/registry/widgets.example.com")),
      [
        `--secure-port=${port}`,
        "--kubeconfig=extension.conf",
        "--authentication-kubeconfig=extension.conf",
        "--authorization-kubeconfig=extension.conf",
        "--admission-control-config-file=admission.yaml",
      ],
      stop.signal,
    );
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "widgets", cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } },
      ],
      users: [{ name: "painter", user: { token } }],
      contexts: [{ name: "widgets", context: { cluster: "widgets", user: "painter" } }],
      "current-context": "widgets",
    };
    await using real = await realKubectl({ kubeconfig: () => JSON.stringify(config) });
    await eventually(async () => {
      const created = await real.run("create -f -", widget("one", "red", "white"));
      expect(created).toMatchObject({ code: 0, stdout: "widget.stable.example.com/one created\n" });
    });
    expect((await real.run("create -f -", widget("two", "green"))).stderr).toContain(
      'widgets.stable.example.com "two" is forbidden: unknown colour: green',
    );
    await main.ask("POST", "/api/v1/namespaces/colours/configmaps", { metadata: { name: "green" } });
    await eventually(async () => {
      expect((await real.run("create -f -", widget("two", "green"))).code).toBe(0);
    });
    expect((await real.run("delete widget one")).stderr).toContain("cannot delete resource");
    stop.abort();
    const { code, err } = await ended;
    expect([code, err.match(/^E.*/gm)]).toEqual([0, null]);
  },
);

describe("the recommended options of an extension server", () => {
  const help = async (recommended?: RecommendedOptions): Promise<string> =>
    (await run(program({}, recommended), ["--help"])).out;

  test("have the flags and the defaults of k8s.io/apiserver (A-OPT-01, A-OPT-02, DA-1, DA-5)", async () => {
    const text = await help(recommendedOptions("/registry/widgets.example.com"));
    for (const flag of FLAGS) expect(text).toMatch(new RegExp(`^ +--${flag.replace(/[[\]]/g, "\\$&")}`, "m"));
    expect(text).toMatch(/--etcd-prefix string.*\(default "\/registry\/widgets.example.com"\)/s);
    expect(text).not.toContain("--http-port");
    for (const cache of ["authentication-token", "authorization"])
      expect(text).toMatch(new RegExp(`--${cache}-webhook-cache-(authorized-)?ttl duration[^-]*\\(default 10s\\)`));
    expect(text).toMatch(/--authorization-webhook-cache-unauthorized-ttl duration[^-]*\(default 10s\)/);
    expect(text).toMatch(/--authorization-always-allow-paths strings[^-]*\(default \[\/healthz,\/readyz,\/livez\]\)/);
  });

  test("can each be left out with their flags (B-OPT-02)", async () => {
    const flagOf = {
      etcd: "--etcd-servers",
      secureServing: "--secure-port",
      authentication: "--authentication-kubeconfig",
      authorization: "--authorization-kubeconfig",
      audit: "--audit-policy-file",
      features: "--profiling",
      coreApi: "--kubeconfig",
      admission: "--enable-admission-plugins",
    } as const;
    for (const [group, flag] of Object.entries(flagOf)) {
      const recommended = { ...recommendedOptions("/registry"), [group]: undefined };
      const text = await help(recommended);
      const shown = Object.values(flagOf).filter((one) => new RegExp(`^ +${one}\\b`, "m").test(text));
      expect(shown).toEqual(Object.values(flagOf).filter((one) => one !== flag));
    }
  });

  test("can all be left out, and the program serves only its own resources", async () => {
    const none = Object.fromEntries(Object.keys(recommendedOptions("")).map((group) => [group, undefined]));
    const stop = new AbortController();
    const options: ServerOptions = {
      port: false,
      hooks: { postStart: [{ name: "stop", run: () => void setImmediate(() => stop.abort()) }] },
    };
    const { code, err } = await run(program(options, none as unknown as RecommendedOptions), [], stop.signal);
    expect([code, err.match(/^[EF].*/gm)]).toEqual([0, null]);
  });

  test("with faults end the program with one error for all of them (A-OPT-06), and for a main server that cannot be found", async () => {
    const all = recommendedOptions("/registry");
    const wrong = await run(program({}, all), [
      "--authorization-always-allow-paths=/a*b",
      "--requestheader-uid-headers=X-Uid",
      "--requestheader-group-headers= ",
    ]);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('only trailing * allowed in \\"a*b\\"');
    expect(wrong.err).toContain("--requestheader-uid-headers is set without specifying the standard X-Remote-Uid");
    expect(wrong.err).toContain('empty value in \\"requestheader-group-headers\\"');
    const homeless = await run(program({}, all), ["--secure-port=0"]);
    expect(homeless.code).toBe(1);
    expect(homeless.err).toContain("unable to load in-cluster configuration");
    const missing = await run(program({}, { ...all, authentication: undefined, authorization: undefined }), [
      "--kubeconfig=missing.conf",
      "--secure-port=0",
    ]);
    expect(missing.err).toMatch(/failed to load kubeconfig at .*missing.conf/);
  });
});

/** The flags of the groups, as `--help` shows them. */
const FLAGS = [
  "authentication-kubeconfig string",
  "authentication-skip-lookup",
  "authentication-token-webhook-cache-ttl duration",
  "authentication-tolerate-lookup-failure",
  "client-ca-file string",
  "requestheader-allowed-names strings",
  "requestheader-client-ca-file string",
  "requestheader-extra-headers-prefix strings",
  "requestheader-group-headers strings",
  "requestheader-uid-headers strings",
  "requestheader-username-headers strings",
  "authorization-always-allow-paths strings",
  "authorization-kubeconfig string",
  "authorization-webhook-cache-authorized-ttl duration",
  "authorization-webhook-cache-unauthorized-ttl duration",
  "kubeconfig string",
  "enable-priority-and-fairness",
];

describe("admission plugins of an extension server's author", () => {
  test("follow their own server's objects by its loopback client, and ask its authorizers (A-ADM-14, B-ADM-02, B-CFG-03)", async () => {
    let given: Parameters<NonNullable<OwnAdmissionPlugin["initialize"]>>[0] | undefined;
    let size = (): number => -1;
    const watching: OwnAdmissionPlugin = {
      plugin: { name: "Watching" },
      initialize: (initialization) => {
        given = initialization;
        const all = initialization.loopback.informers.resource({ group: GROUP, version: "v1", resource: "widgets" });
        size = () => all.cache.size;
      },
    };
    const reports: unknown[] = [];
    const server = await startServer({
      port: false,
      resources: [widgets],
      admission: { plugins: [watching] },
      authorizers: [({ user }) => ({ decision: user.name === "jane" ? "allow" : "deny" })],
      onError: (error) => reports.push(error),
    });
    expect(
      (await call(server.transport(), "GET", "/readyz/poststarthook/generic-apiserver-start-informers")).text,
    ).toBe("ok");
    await call(server.transport(), "POST", COLLECTION, widget("one"));
    await eventually(() => expect(size()).toBe(1));
    const attributes = { verb: "get", isResourceRequest: false, path: "/x", apiGroup: "", apiVersion: "" };
    const more = { resource: "", subresource: "", namespace: "", name: "" };
    const decision = (name: string) => given?.authorize({ user: { name, groups: [] }, ...attributes, ...more });
    expect([await decision("jane"), await decision("joe")]).toEqual([{ decision: "allow" }, { decision: "deny" }]);
    await server.close();
    expect(reports).toEqual([]);
  });

  test("keep the server from starting when they cannot be initialized, with their names (A-ADM-13, B-SA-02)", async () => {
    const plugin = { name: "Wanting" };
    const start = (initialize: OwnAdmissionPlugin["initialize"]) =>
      startServer({ port: false, admission: { plugins: [{ plugin, ...(initialize && { initialize }) }] } });
    await expect(start(() => Promise.reject(new Error("missing lister")))).rejects.toThrow(
      'failed to initialize admission plugin "Wanting": missing lister',
    );
    await expect(start(({ coreApi }) => void coreApi)).rejects.toThrow(
      'failed to initialize admission plugin "Wanting": admission depends on a Kubernetes core API client, it cannot be nil',
    );
  });
});

test("A-ADM-09, B-ADM-03, B-GEN-04: an admission plugin refuses requests, and /readyz fails, until its informer has its first list", async () => {
  const [port = 0] = await freePorts(1);
  const kubeconfig = await main.kubeconfigAt("unsynced.conf", `127.0.0.1:${port}`);
  await using server = await startServer({
    port: false,
    resources: [widgets],
    coreApi: { kubeconfig },
    admission: { plugins: [knownColours()] },
  });
  const api = server.transport();
  const refused = await call(api, "POST", COLLECTION, widget("early"));
  expect([refused.status, refused.at("message")]).toEqual([
    403,
    'widgets.stable.example.com "early" is forbidden: not yet ready to handle request',
  ]);
  expect((await call(api, "GET", "/readyz")).text).toContain("[-]informer-sync failed: reason withheld\n");
  expect((await call(api, "GET", "/healthz")).text).toBe("ok");
  expect((await call(api, "GET", "/readyz/poststarthook/generic-apiserver-start-informers")).text).toBe("ok");
  const way = await startTcpProxy(Number(new URL(main.cluster.url).port), port);
  try {
    await eventually(async () => expect((await call(api, "GET", "/readyz")).text).toBe("ok"));
    expect((await call(api, "POST", COLLECTION, widget("early"))).status).toBe(201);
    expect((await call(api, "POST", COLLECTION, widget("pink", "pink"))).at("message")).toContain(
      "unknown colour: pink",
    );
  } finally {
    await way.close();
  }
});

describe("T6: an admission plugin that looks up allowed values in an informer", () => {
  const colours = { apiVersion: "v1", kind: "Colours", free: ["white"] };

  /** A server whose AdmissionConfiguration has this entry of the plugin. */
  const started = async (entry: object, rest: { readonly disable?: readonly string[] } = {}) => {
    const document = { apiVersion: "apiserver.k8s.io/v1alpha1", kind: "AdmissionConfiguration", plugins: [entry] };
    const configurationFile = join(main.folder, "forms.yaml");
    await writeFile(join(main.folder, "colours.yaml"), JSON.stringify(colours));
    await writeFile(configurationFile, JSON.stringify(document));
    const admission = { plugins: [knownColours()], configurationFile, ...rest };
    const coreApi = { kubeconfig: main.kubeconfig };
    const server = await startServer({ port: false, resources: [widgets], coreApi, admission });
    await eventually(async () => expect((await call(server.transport(), "GET", "/readyz")).text).toBe("ok"));
    return server;
  };

  test.each([
    ["in the file", { name: "KnownColours", configuration: colours }],
    ["in a file of its own", { name: "KnownColours", path: "colours.yaml" }],
  ])("refuses unknown values on create and on update, configured %s", async (_, entry) => {
    await using server = await started(entry);
    const ask = (method: string, path: string, body: string, type?: string) =>
      call(server.transport(), method, path, body, { ...(type !== undefined && { type }) });
    expect((await ask("POST", COLLECTION, widget("one", "white"))).status).toBe(201);
    const refused = [
      await ask("POST", COLLECTION, widget("two", "mauve")),
      await ask("PATCH", `${COLLECTION}/one`, '{"spec":{"colours":["mauve"]}}', "application/merge-patch+json"),
    ];
    expect(refused.map(({ status, text }) => [status, text.includes("unknown colour: mauve")])).toEqual([
      [403, true],
      [403, true],
    ]);
  });

  test("accepts everything when it is disabled", async () => {
    await using server = await started({ name: "KnownColours", configuration: colours }, { disable: ["KnownColours"] });
    expect((await call(server.transport(), "POST", COLLECTION, widget("two", "mauve"))).status).toBe(201);
  });
});

test("each server in a chain of servers starts its own informers", async () => {
  const coreApi = { kubeconfig: main.kubeconfig };
  const opened = async (name: string, delegate?: GenericServer): Promise<GenericServer> =>
    (await serverOptions({ port: false, coreApi }).toConfig()).complete().newServer(name, delegate);
  const back = await opened("back");
  const head = await opened("front", back);
  const roles = (server: GenericServer) =>
    server.coreApi?.informers.of("v1", "ConfigMap", { namespace: "kube-system" });
  const [one, two] = [roles(back), roles(head)];
  const running = await head.prepareRun().start();
  await Promise.all([one?.synced, two?.synced]);
  expect(one).not.toBe(two);
  const checks = await call(running.transport(), "GET", "/readyz?verbose");
  expect(checks.text).toContain("[+]poststarthook/generic-apiserver-start-informers ok");
  expect(checks.text).toContain("[+]poststarthook/generic-apiserver-start-informers-front ok");
  await running.close();
});

test("post-start hooks of an extension server receive the main server's client and informers", async () => {
  let names: readonly string[] = [];
  const server = await startServer({
    port: false,
    coreApi: { kubeconfig: main.kubeconfig },
    hooks: {
      postStart: [
        {
          name: "look",
          async run({ coreApi }) {
            const found = await coreApi?.client.of("v1", "ConfigMap").namespace("kube-system").list({
              fieldSelector: "metadata.name=extension-apiserver-authentication",
            });
            names = (found?.items ?? []).map(({ metadata }) => metadata.name);
          },
        },
      ],
    },
  });
  await server.close();
  expect(names).toEqual(["extension-apiserver-authentication"]);
});
