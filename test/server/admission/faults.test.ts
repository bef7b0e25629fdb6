import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { StatusError, tooManyRequests } from "../../../src/machinery/errors/status-error.js";
import type { Fields } from "../../../src/machinery/meta/access.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { refused } from "../../../src/server/admission/attributes.js";
import { admittingServer, done } from "../../helpers/admitting-server.js";
import { eventually } from "../../helpers/eventually.js";
import { call } from "../../helpers/api-caller.js";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICES = "/api/v1/namespaces/default/services";
const MERGE = { type: "application/merge-patch+json" };

/** A plugin that lets objects alone unless they are called "bad". */
function onBad(phases: Pick<AdmissionPlugin, "admit" | "validate">): AdmissionPlugin {
  const bad = (name: string, oldName?: string): boolean => name === "bad" || oldName === "bad";
  const { admit, validate } = phases;
  return {
    name: "Faulty",
    ...(admit && {
      admit: (attributes, context) =>
        bad(attributes.name, attributes.oldObject?.metadata?.name) ? admit(attributes, context) : undefined,
    }),
    ...(validate && {
      validate: (attributes, context) =>
        bad(attributes.name, attributes.oldObject?.metadata?.name) ? validate(attributes, context) : undefined,
    }),
  };
}

const raise = (error: unknown) => (): never => {
  throw error;
};

describe("an admission plugin that fails", () => {
  const ways: readonly (readonly [what: string, run: () => Promise<void> | void, text: string])[] = [
    ["throws", raise(new Error("boom")), "boom"],
    ["rejects", () => Promise.reject(new Error("later")), "later"],
    ["throws what is no error", raise("text"), "text"],
    ["throws nothing", raise(undefined), "undefined"],
    [
      "throws a Status that cannot be sent",
      raise(new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 7 })),
      "",
    ],
  ];
  for (const phase of ["admit", "validate"] as const) {
    test.each(ways)(`and %s when it ${phase}s fails its own request with a 500 and a report`, async (_, run, text) => {
      await using server = await admittingServer({ plugins: [{ plugin: onBad({ [phase]: run }) }] });
      const answer = await call(server.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
      expect([answer.status, answer.at("reason"), answer.at("message")]).toEqual([
        500,
        "InternalError",
        `Internal error occurred: admission plugin "Faulty" failed: ${text}`,
      ]);
      expect(server.faults).toEqual([new Error(`admission plugin "Faulty" failed: ${text}`)]);
      expect((await call(server.api, "GET", `${CONFIG_MAPS}/bad`)).status).toBe(404);
      await done(server.api, "POST", CONFIG_MAPS, { metadata: { name: "good" } });
    });
  }

  test("in handles() fails the requests for which it was asked", async () => {
    const handles = (_: string, { resource }: { readonly resource: string }): boolean => {
      if (resource === "configmaps") throw new Error("boom");
      return false;
    };
    await using server = await admittingServer({ plugins: [{ plugin: { name: "Faulty", handles } }] });
    const answer = await call(server.api, "POST", CONFIG_MAPS, { metadata: { name: "a" } });
    const message = 'admission plugin "Faulty" failed: boom';
    expect([answer.status, answer.at("message")]).toEqual([500, `Internal error occurred: ${message}`]);
    expect(server.faults).toEqual([new Error(message)]);
    await done(server.api, "POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
  });

  test("leaves an update and a delete undone, and does not lock the object", async () => {
    let failing = false;
    const plugin = onBad({
      validate() {
        if (failing) throw new Error("boom");
      },
    });
    await using server = await admittingServer({ plugins: [{ plugin }] });
    await done(server.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
    failing = true;
    const patch = { data: { a: "1" } };
    expect((await call(server.api, "PATCH", `${CONFIG_MAPS}/bad`, patch, MERGE)).status).toBe(500);
    expect((await call(server.api, "DELETE", `${CONFIG_MAPS}/bad`)).status).toBe(500);
    failing = false;
    expect((await done(server.api, "GET", `${CONFIG_MAPS}/bad`)).at("data")).toBeUndefined();
    await done(server.api, "PATCH", `${CONFIG_MAPS}/bad`, patch, MERGE.type);
    await done(server.api, "DELETE", `${CONFIG_MAPS}/bad`);
  });

  test("makes the server free what it had reserved for the object", async () => {
    await using server = await admittingServer({
      plugins: [{ plugin: onBad({ validate: raise(new Error("boom")) }) }],
    });
    await done(server.api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", {
      metadata: { name: "kubernetes" },
      spec: { cidrs: ["10.96.0.0/30"] },
    });
    const service = (name: string): object => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
    for (let time = 0; time < 5; time++) {
      expect((await call(server.api, "POST", SERVICES, service("bad"))).status).toBe(500);
    }
    const addresses = await done(server.api, "GET", "/apis/networking.k8s.io/v1/ipaddresses");
    expect(addresses.at("items")).toEqual([]);
    await done(server.api, "POST", SERVICES, service("good"));
  });
});

describe("an admission plugin that refuses", () => {
  test("with a StatusError is answered with that, and reported as no error", async () => {
    const plugin = onBad({ validate: raise(tooManyRequests("not now", 7)) });
    await using server = await admittingServer({ plugins: [{ plugin }] });
    const answer = await call(server.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
    expect([answer.status, answer.at("message"), answer.headers["retry-after"]]).toEqual([429, "not now", "7"]);
    expect(server.faults).toEqual([]);
  });

  test("makes an error that names the object by its name, by its generateName, or as Unknown", async () => {
    const plugin: AdmissionPlugin = {
      name: "Refuses",
      handles: (_, { resource }) => resource === "configmaps",
      admit(attributes) {
        throw refused(attributes, "no");
      },
    };
    await using server = await admittingServer({ plugins: [{ plugin }] });
    const messages = [];
    for (const metadata of [{ name: "c" }, { generateName: "c-" }, {}]) {
      messages.push((await call(server.api, "POST", CONFIG_MAPS, { metadata })).at("message"));
    }
    expect(messages).toEqual([
      'configmaps "c" is forbidden: no',
      'configmaps "c-" is forbidden: no',
      'configmaps "Unknown" is forbidden: no',
    ]);
  });
});

describe("an admission plugin that does not end", () => {
  for (const phase of ["admit", "validate"] as const) {
    test(`in ${phase} fails its request with a 500 and a report before the deadline, and does not lock the object`, async () => {
      const aborted = deferred<void>();
      let hanging = false;
      const plugin = onBad({
        [phase]: ({ signal }: { signal: AbortSignal }) => {
          if (!hanging) return undefined;
          signal.addEventListener("abort", () => aborted.resolve());
          return new Promise<void>(() => {});
        },
      });
      await using server = await admittingServer({ plugins: [{ plugin }] });
      await done(server.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
      hanging = true;
      const late = await call(server.api, "PATCH", `${CONFIG_MAPS}/bad?timeout=1s`, { data: { a: "1" } }, MERGE);
      const text = /admission plugin "Faulty" failed: it did not finish within \d{2,3} ms$/;
      expect([late.status, late.at("reason")]).toEqual([500, "InternalError"]);
      expect(late.at("message")).toMatch(text);
      expect(server.faults).toEqual([expect.objectContaining({ message: expect.stringMatching(text) as string })]);
      await aborted.promise;
      hanging = false;
      await done(server.api, "PATCH", `${CONFIG_MAPS}/bad`, { data: { b: "2" } }, MERGE.type);
      expect((await done(server.api, "GET", `${CONFIG_MAPS}/bad`)).at("data")).toEqual({ b: "2" });
    });
  }

  test("delays the stop of a server no longer than its request may take", async () => {
    const entered = deferred<void>();
    const plugin = onBad({
      admit() {
        entered.resolve();
        return new Promise<void>(() => {});
      },
    });
    const server = await admittingServer({ plugins: [{ plugin }] });
    const answer = call(server.api, "POST", `${CONFIG_MAPS}?timeout=1s`, { metadata: { name: "bad" } });
    await entered.promise;
    await server[Symbol.asyncDispose]();
    expect((await answer).at("message")).toContain("it did not finish within");
  });

  test("is waited for when it ends while the server stops, and its object is stored", async () => {
    const [entered, mayEnd] = [deferred<void>(), deferred<void>()];
    const plugin = onBad({
      admit() {
        entered.resolve();
        return mayEnd.promise;
      },
    });
    const server = await admittingServer({ plugins: [{ plugin }] });
    const answer = call(server.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
    await entered.promise;
    const stopped = server[Symbol.asyncDispose]();
    await eventually(async () => expect((await call(server.api, "GET", CONFIG_MAPS)).status).toBe(503));
    mayEnd.resolve();
    expect((await answer).status).toBe(201);
    await stopped;
  });
});

describe("an admission plugin that makes an object invalid", () => {
  const nonsense: readonly (readonly [what: string, change: (draft: Fields) => void, text: string])[] = [
    [
      "a field of another type",
      (draft) => (draft["spec"] = { replicas: "many" }),
      "it left no Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "metadata that is no object",
      (draft) => (draft["metadata"] = "none"),
      "it left no Deployment: json: cannot unmarshal string into Go struct field Deployment.metadata of type v1.ObjectMeta",
    ],
    [
      "a field that the kind does not have",
      (draft) => (draft["nonsense"] = true),
      'it left no Deployment: unknown field "nonsense"',
    ],
    ["another kind", (draft) => (draft["kind"] = "Secret"), "it turned the Deployment into apps/v1 Secret"],
  ];
  test.each(nonsense)("by %s fails the request with a 500 that names the fault", async (_, change, text) => {
    const plugin = onBad({ admit: ({ object: draft }) => change(draft as Fields) });
    await using server = await admittingServer({ plugins: [{ plugin }] });
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const answer = await call(server.api, "POST", path, { metadata: { name: "bad" }, spec });
    expect([answer.status, answer.at("message")]).toEqual([
      500,
      `Internal error occurred: admission plugin "Faulty" failed: ${text}`,
    ]);
    expect((await call(server.api, "GET", `${path}/bad`)).status).toBe(404);
    await done(server.api, "POST", path, { metadata: { name: "good" }, spec });
  });

  test("or replaces it by another object fails its request", async () => {
    const plugin = onBad({
      admit(attributes) {
        (attributes as { object: object }).object = {};
      },
    });
    await using server = await admittingServer({ plugins: [{ plugin }] });
    const answer = await call(server.api, "POST", CONFIG_MAPS, { metadata: { name: "bad" } });
    expect([answer.status, answer.at("reason")]).toEqual([500, "InternalError"]);
  });
});
