import { describe, expect, test } from "vitest";
import type { RunningServer } from "../../src/cluster/running-server.js";
import type { ServerOptions } from "../../src/cluster/options/server-options.js";
import { startServer } from "../../src/cluster/start-server.js";
import { forbidden } from "../../src/machinery/errors/status-error.js";
import type { AuthorizerAttributes } from "../../src/server/authz/authorizer.js";
import type { OwnFilter } from "../../src/server/filters/own-filter.js";
import { respondText } from "../../src/server/request/respond.js";
import { call } from "../helpers/api-caller.js";
import { http1Client } from "../helpers/wire-client.js";
import { COLLECTION, widgets } from "../server/api-registry/widgets.js";

interface Started extends AsyncDisposable {
  readonly server: RunningServer;
  readonly faults: readonly unknown[];
}

async function started(options: ServerOptions): Promise<Started> {
  const faults: unknown[] = [];
  const server = await startServer({
    port: false,
    resources: [widgets],
    onError: (error) => faults.push(error instanceof Error ? error.message : error),
    ...options,
  });
  return { server, faults, [Symbol.asyncDispose]: () => server.close() };
}

const list = (server: RunningServer, headers: Readonly<Record<string, string>> = {}) =>
  call(server.transport(), "GET", COLLECTION, undefined, { headers });

describe("startServer() with resources of the caller", () => {
  test("serves these and none of Kubernetes", async () => {
    await using run = await started({});
    expect((await list(run.server)).status).toBe(200);
    const api = run.server.transport();
    expect((await call(api, "GET", "/api")).at("versions")).toEqual([]);
    expect((await call(api, "GET", "/api/v1/pods")).status).toBe(404);
    const { groups } = JSON.parse((await call(api, "GET", "/apis")).text) as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toEqual(["stable.example.com"]);
  });
});

describe("authenticators and authorizers of the caller", () => {
  test("decide which user a request has, and what the user may do", async () => {
    const asked: string[] = [];
    await using run = await started({
      port: 0,
      authenticators: [
        ({ headers }) => {
          const name = headers["x-user"];
          if (name === "lost") throw new Error("the directory is away");
          return name === undefined ? undefined : { name, groups: ["guests"] };
        },
      ],
      authorizers: [
        ({ user, verb, resource }: AuthorizerAttributes) => {
          asked.push(`${user.name} of ${user.groups.join("+")}: ${verb} ${resource}`);
          return { decision: user.name === "reader" && verb === "list" ? "allow" : "no-opinion" };
        },
      ],
    });
    const client = http1Client(run.server);
    const status = async (method: string, headers: Readonly<Record<string, string>>) =>
      (await client.send({ method, path: COLLECTION, headers })).status;
    expect(await status("GET", { "x-user": "reader" })).toBe(200);
    expect(await status("DELETE", { "x-user": "reader" })).toBe(403);
    // The administrator's token: system:masters asks no authorizer.
    expect(await status("DELETE", {})).toBe(200);
    expect(await status("GET", { "x-user": "lost" })).toBe(500);
    expect(run.faults).toEqual(["the directory is away"]);
    expect(asked).toEqual([
      "reader of guests+system:authenticated: list widgets",
      "reader of guests+system:authenticated: deletecollection widgets",
    ]);
    client.close();
  });

  test("refuse in kube-apiserver's words", async () => {
    await using run = await started({
      authorizers: [() => ({ decision: "no-opinion", reason: "no rule" })],
    });
    const impersonating = { "impersonate-user": "jane" };
    const at = async (method: string, path: string) =>
      (await call(run.server.transport(), method, path, undefined, { headers: impersonating })).at("message");
    const group = 'in API group "stable.example.com"';
    expect(await at("GET", COLLECTION)).toBe(
      `widgets.stable.example.com is forbidden: User "jane" cannot list resource "widgets" ${group} in the namespace "default": no rule`,
    );
    expect(await at("GET", `${COLLECTION}/a/status`)).toBe(
      `widgets.stable.example.com "a" is forbidden: User "jane" cannot get resource "widgets/status" ${group} in the namespace "default": no rule`,
    );
    expect(await at("DELETE", "/apis/stable.example.com/v1/widgets")).toBe(
      `widgets.stable.example.com is forbidden: User "jane" cannot deletecollection resource "widgets" ${group} at the cluster scope: no rule`,
    );
    expect(await at("GET", "/metrics")).toBe('forbidden: User "jane" cannot get path "/metrics": no rule');
  });

  test("are asked in order until one has an opinion", async () => {
    await using run = await started({
      authorizers: [
        ({ user, verb }) => ({ decision: user.name === "enemy" ? "deny" : verb === "list" ? "allow" : "no-opinion" }),
        () => ({ decision: "allow" }),
      ],
    });
    const status = async (user: string) => (await list(run.server, { "impersonate-user": user })).status;
    expect([await status("enemy"), await status("reader")]).toEqual([403, 200]);
  });

  test("that throw make their own request fail with a 500 and a report", async () => {
    await using run = await started({
      authorizers: [
        ({ user }) => {
          if (user.name === "odd") throw new Error("lost the rules");
          return { decision: "allow" };
        },
      ],
    });
    const odd = await list(run.server, { "impersonate-user": "odd" });
    expect([odd.status, odd.at("message")]).toEqual([500, "Internal error occurred: lost the rules"]);
    expect(run.faults).toEqual(["lost the rules"]);
    expect((await list(run.server, { "impersonate-user": "even" })).status).toBe(200);
  });
});

describe("filters of the caller", () => {
  const recorder = (name: string, seen: string[], place: Partial<OwnFilter> = {}): OwnFilter => ({
    name,
    filter: (next) => (request) => {
      seen.push(`${name} ${request.user.name}`);
      return next(request);
    },
    ...place,
  });

  test("run at the places that the caller names", async () => {
    const seen: string[] = [];
    await using run = await started({
      filters: [
        recorder("last", seen),
        recorder("first", seen, { before: "authentication" }),
        recorder("impersonated", seen, { after: "impersonation" }),
        recorder("known", seen, { after: "authentication" }),
      ],
    });
    await list(run.server, { "impersonate-user": "jane" });
    expect(seen).toEqual(["first system:anonymous", "known kubernetes-admin", "impersonated jane", "last jane"]);
  });

  test.each([
    [{ before: "nothing" }, 'filter "x" should run before "nothing", and there is no such filter'],
    [{ before: "deadline", after: "deadline" }, 'filter "x" cannot have both before and after; give one of them'],
    [{ name: "deadline" }, 'there is a filter "deadline" already; give this one another name'],
  ])("are refused at the start for an impossible place: %j", async (place, message) => {
    const filter = { ...recorder("x", []), ...place } as OwnFilter;
    await expect(startServer({ port: false, filters: [filter] })).rejects.toThrow(message);
  });

  const wrong: readonly (readonly [string, OwnFilter["filter"], string])[] = [
    [
      "throws",
      () => () => {
        throw new Error("broken");
      },
      'filter "x" failed: broken',
    ],
    ["rejects", () => () => Promise.reject(new Error("broken")), 'filter "x" failed: broken'],
    ["does nothing", () => () => Promise.resolve(), 'filter "x" neither passed the request on nor answered it'],
    [
      "answers with nonsense",
      () => () => undefined as never,
      'filter "x" neither passed the request on nor answered it',
    ],
    ["hangs", () => () => new Promise(() => {}), 'filter "x" failed: it did nothing with the request for N ms'],
  ];

  test.each(wrong)("that %s make their own request fail with a 500 and a report", async (_, filter, message) => {
    await using run = await started({
      filters: [
        {
          name: "x",
          filter: (next) => {
            const handle = filter(next);
            return (request) => (request.exchange.query.has("bad") ? handle(request) : next(request));
          },
        },
      ],
    });
    const bad = await call(run.server.transport(), "GET", `${COLLECTION}?bad=1&timeout=200ms`);
    // How much of the request's time was left when the filter got it.
    const withoutTime = (text: unknown): string => String(text).replace(/\d+ ms$/, "N ms");
    expect([bad.status, withoutTime(bad.at("message"))]).toEqual([500, `Internal error occurred: ${message}`]);
    expect(run.faults.map(withoutTime)).toEqual([message]);
    expect((await list(run.server)).status).toBe(200);
  });

  test("may answer themselves, refuse, and pass on errors of the server", async () => {
    await using run = await started({
      filters: [
        {
          name: "x",
          filter: (next) => async (request) => {
            if (request.info.name === "tea") return respondText(request, 418, "short and stout\n");
            if (request.info.name === "secret") throw forbidden({ group: "", resource: "widgets" }, "secret", "no");
            return next(request);
          },
        },
      ],
    });
    const at = (name: string) => call(run.server.transport(), "GET", `${COLLECTION}/${name}`);
    expect(await at("tea")).toMatchObject({ status: 418, text: "short and stout\n" });
    expect((await at("secret")).at("message")).toBe('widgets "secret" is forbidden: no');
    expect((await at("none")).at("message")).toBe('widgets.stable.example.com "none" not found');
    expect(run.faults).toEqual([]);
  });
});

describe("health checks and hooks of the caller", () => {
  test("include each health check in /healthz, /livez and /readyz", async () => {
    let well = true;
    await using run = await started({
      healthChecks: [{ name: "oven", check: () => (well ? Promise.resolve() : Promise.reject(new Error("cold"))) }],
    });
    const probe = async (path: string) => {
      const { status, text } = await call(run.server.transport(), "GET", path);
      return [status, text];
    };
    expect(await probe("/readyz/oven")).toEqual([200, "ok"]);
    well = false;
    for (const path of ["/healthz", "/livez", "/readyz"]) {
      const [status, text] = await probe(path);
      expect([status, String(text).includes("[-]oven failed: reason withheld\n")]).toEqual([500, true]);
    }
  });

  test("run hooks before the server serves and while it stops, in order", async () => {
    const seen: string[] = [];
    const server = await startServer({
      port: false,
      resources: [widgets],
      hooks: {
        postStart: [
          {
            name: "seed",
            async run({ transport }) {
              const { status } = await call(transport, "POST", COLLECTION, { metadata: { name: "seed" } });
              seen.push(`seed ${status}`);
            },
          },
          { name: "second", run: () => void seen.push("second") },
        ],
        preShutdown: [
          {
            name: "last",
            async run({ transport }) {
              seen.push(`last ${(await call(transport, "GET", `${COLLECTION}/seed`)).status}`);
            },
          },
        ],
      },
    });
    expect(await call(server.transport(), "GET", "/readyz/poststarthook/seed")).toMatchObject({ status: 200 });
    await server.close();
    expect(seen).toEqual(["seed 201", "second", "last 200"]);
  });

  test("stop the start when a start hook throws; an error of a stop hook is reported", async () => {
    const broken = { name: "broken", run: () => Promise.reject(new Error("no flour")) };
    await expect(startServer({ port: false, hooks: { postStart: [broken] } })).rejects.toThrow("no flour");
    const run = await started({ hooks: { preShutdown: [broken] } });
    await run.server.close();
    expect(run.faults).toEqual(["no flour"]);
  });
});

describe("hooks of the caller", () => {
  const hook = (name: string) => ({ name, run: () => {} });
  const twice = [hook("mine"), hook("mine")];
  test.each([
    [{ postStart: twice }, 'unable to add "mine" because it was already registered'],
    [{ postStart: [hook("storage-readiness")] }, 'unable to add "storage-readiness" because it was already registered'],
    [{ preShutdown: twice }, 'unable to add "mine" because it is already registered'],
  ])("that have one name are refused at the start: %j", async (hooks, message) => {
    await expect(startServer({ port: false, hooks })).rejects.toThrow(message);
  });

  test("may share a name when one runs at the start and the other at the stop", async () => {
    await using run = await started({ hooks: { postStart: [hook("mine")], preShutdown: [hook("mine")] } });
    expect((await list(run.server)).status).toBe(200);
  });
});
