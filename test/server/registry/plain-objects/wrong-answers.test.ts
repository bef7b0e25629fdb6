import { describe, expect, test } from "vitest";
import { errorMessage } from "../../../../src/base/text/error-message.js";
import { startServer } from "../../../../src/cluster/start-server.js";
import { forbidden } from "../../../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type { ObjectSource } from "../../../../src/server/registry/plain-objects/object-source.js";
import { call } from "../../../helpers/api-caller.js";
import { eventually } from "../../../helpers/eventually.js";
import { keptIn, objectsOf, WIDGETS, widgets } from "./widgets.js";

const one = { metadata: { name: "one", namespace: "default" } };

/** A server whose widgets are wrong, and what it reports. */
async function serverOf(objects: object, options: object = {}) {
  const reported: string[] = [];
  const server = await startServer({
    port: false,
    resources: [keptIn(objects as ObjectSource, options)],
    onError: (error) => reported.push(errorMessage(error)),
  });
  return {
    reported,
    send: (method: string, path: string, body?: unknown) => call(server.transport(), method, path, body),
    transport: server.transport(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

class Widget {
  metadata = one.metadata;
}

describe("a wrong object from a user's source is a 500 for the client and a log line, which name the field", () => {
  test.each<[string, unknown, string]>([
    ["a string", "one", "the answer is a string, not an object"],
    ["an array", [one], "the answer is an array, not an object"],
    ["of another kind", { ...one, kind: "Gadget" }, 'kind: is "Gadget", not "Widget"'],
    ["of another version", { ...one, apiVersion: "v1" }, 'apiVersion: is "v1", not "stable.example.com/v1"'],
    ["without a name", { metadata: {} }, "metadata.name: is missing"],
    ["without metadata", { spec: {} }, "metadata.name: is missing"],
    ["of another name", { metadata: { name: "two" } }, 'metadata.name: is "two", not "one"'],
    [
      "of another namespace",
      { metadata: { name: "one", namespace: "x" } },
      'metadata.namespace: is "x", not "default"',
    ],
    ["with a name that is a number", { metadata: { name: 1 } }, "metadata.name: json: cannot unmarshal number"],
    [
      "with labels that are a list",
      { metadata: { name: "one", labels: [] } },
      "metadata.labels: json: cannot unmarshal array",
    ],
    [
      "with a label that is a number",
      { metadata: { name: "one", labels: { a: 1 } } },
      "metadata.labels.a: json: cannot unmarshal number",
    ],
    [
      "with a text for a number",
      { ...one, spec: { size: "3" } },
      "spec.size: json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type int32",
    ],
    ["with a fraction for an integer", { ...one, spec: { size: 1.5 } }, "spec.size: json: cannot unmarshal number 1.5"],
    ["with NaN", { ...one, spec: { size: Number.NaN } }, "spec.size: is NaN, which is not JSON"],
    ["with a wrong time", { ...one, spec: { since: "yesterday" } }, "spec.since: parsing time"],
    [
      "with a Date",
      { ...one, spec: { since: new Date(0) } },
      "spec.since: is an object of the class Date, not a plain object",
    ],
    [
      "with a wrong field in a list",
      { ...one, spec: { parts: [{ name: "a" }, { name: 2 }] } },
      "spec.parts[1].name: json: cannot unmarshal number",
    ],
    ["with a function", { ...one, spec: { rest: () => 1 } }, "spec.rest: is a function, which is not JSON"],
    [
      "with a Map",
      { ...one, spec: { rest: new Map() } },
      "spec.rest: is an object of the class Map, not a plain object",
    ],
    ["an object of a class", new Widget(), "is an object of the class Widget, not a plain object"],
    [
      "with a version that is no number",
      { metadata: { name: "one", resourceVersion: "v7" } },
      'metadata.resourceVersion: is "v7", not a decimal number from 1 to 2^53-1; leave it out where there is none',
    ],
  ])("for %s", async (_, answer, reason) => {
    await using server = await serverOf({ get: () => answer });
    const { status, at } = await server.send("GET", `${WIDGETS}/one`);
    const text = `get of widgets.stable.example.com "one": ${reason}`;
    expect([status, at("reason"), at("message")]).toEqual([
      500,
      "InternalError",
      expect.stringContaining(`Internal error occurred: ${text}`),
    ]);
    expect(server.reported).toEqual([expect.stringContaining(text)]);
  });

  test("for one that contains itself", async () => {
    const rest: Record<string, unknown> = {};
    rest["rest"] = rest;
    await using server = await serverOf({ get: () => ({ ...one, spec: { rest } }) });
    expect(await server.send("GET", `${WIDGETS}/one`)).toMatchObject({ status: 500 });
    expect(server.reported).toEqual([expect.stringContaining("is nested too deeply, or holds itself")]);
  });

  test("but unknown and undefined fields are only dropped", async () => {
    await using server = await serverOf({ get: () => ({ ...one, spec: { size: undefined, weight: 1 }, extra: 1 }) });
    const { status, at } = await server.send("GET", `${WIDGETS}/one`);
    expect([status, at("spec"), at("extra")]).toEqual([200, { color: "red" }, undefined]);
  });
});

describe("a wrong list from a user's source is a 500, and leaves out no object", () => {
  test.each<[string, unknown, string]>([
    ["undefined", undefined, "the answer is undefined, not an array or another iterable"],
    ["an object", {}, "the answer is an object of the class Object, not an array or another iterable"],
    ["a text", "one", "the answer is a string, not an array or another iterable"],
    ["with something that is no object", [one, null], "item 1: the answer is null, not an object"],
    [
      "with an object of another namespace",
      [{ metadata: { name: "one", namespace: "x" } }],
      'item 0: metadata.namespace: is "x", not "default"',
    ],
    ["with two objects of one name", [one, one], "item 1: metadata.name: default/one is there twice"],
    [
      "with a wrong field",
      [one, { metadata: { name: "two" }, spec: 1 }],
      "item 1: spec: json: cannot unmarshal number",
    ],
  ])("for %s", async (_, answer, reason) => {
    await using server = await serverOf({ list: () => answer });
    const { status, at } = await server.send("GET", WIDGETS);
    const text = `list of widgets.stable.example.com: ${reason}`;
    expect([status, at("message")]).toEqual([500, expect.stringContaining(`Internal error occurred: ${text}`)]);
    expect(server.reported).toEqual([expect.stringContaining(text)]);
  });

  test("while in a list of all namespaces each object names its own", async () => {
    await using server = await serverOf({ list: () => [{ metadata: { name: "one" } }] });
    expect((await server.send("GET", "/apis/stable.example.com/v1/widgets")).text).toContain(
      "item 0: metadata.namespace: is missing",
    );
  });

  test("for an iterable that fails in the middle", async () => {
    async function* list() {
      yield one;
      throw new Error("the line broke");
    }
    await using server = await serverOf({ list });
    expect((await server.send("GET", WIDGETS)).at("message")).toBe(
      "Internal error occurred: list of widgets.stable.example.com: the line broke",
    );
  });

  test.each([
    ["without items", {}, "items: is missing, and the source makes its own pages"],
    ["with a token that is a number", { items: [], continue: 7 }, "continue: is not a string"],
    ["with half an item left", { items: [], remainingItemCount: 0.5 }, "remainingItemCount: is not an integer"],
  ])("for a page %s", async (_, page, reason) => {
    await using server = await serverOf({ list: () => page }, { pages: true });
    expect((await server.send("GET", WIDGETS)).text).toContain(reason);
  });
});

describe("an error that a user's source throws", () => {
  test.each<[string, unknown, number, string]>([
    [
      "an Error",
      new Error("out of paper"),
      500,
      'Internal error occurred: get of widgets.stable.example.com "one": out of paper',
    ],
    ["a text", "out of ink", 500, 'Internal error occurred: get of widgets.stable.example.com "one": out of ink'],
  ])("is, for %s, a 500 with a log line", async (_, thrown, status, message) => {
    const get = () => {
      throw thrown;
    };
    await using server = await serverOf({ get });
    const answer = await server.send("GET", `${WIDGETS}/one`);
    expect([answer.status, answer.at("message"), server.reported.length]).toEqual([status, message, 1]);
  });

  test("is, as a StatusError, the client's answer and not reported", async () => {
    const get = () => Promise.reject(forbidden(widgets, "one", "it is asleep"));
    await using server = await serverOf({ get });
    expect(await server.send("GET", `${WIDGETS}/one`)).toMatchObject({ status: 403 });
    expect(server.reported).toEqual([]);
  });

  test.each([
    ["create", "POST", "", { metadata: { name: "new" } }],
    ["update", "PUT", "/one", { ...one, spec: { size: 2 } }],
    ["delete", "DELETE", "/one", undefined],
  ])("in %s is a 500", async (method, verb, path, body) => {
    const objects = { ...objectsOf(new Map<string, KubeObject>([["default/one", one]])) };
    const broken = () => Promise.reject(new Error("the disk is full"));
    await using server = await serverOf({ ...objects, [method]: broken });
    const { status, text } = await server.send(verb, `${WIDGETS}${path}`, body);
    expect([status, text]).toEqual([500, expect.stringContaining(`${method} of widgets.stable.example.com`)]);
    expect(server.reported).toEqual([expect.stringContaining("the disk is full")]);
  });

  test.each([
    ["create", "POST", "", { metadata: { name: "new" } }],
    ["update", "PUT", "/one", { ...one, spec: { size: 2 } }],
  ])("is also reported when %s returns an object of another name", async (method, verb, path, body) => {
    const objects = { ...objectsOf(new Map<string, KubeObject>([["default/one", one]])) };
    await using server = await serverOf({ ...objects, [method]: () => ({ metadata: { name: "other" } }) });
    const { status, text } = await server.send(verb, `${WIDGETS}${path}`, body);
    expect([status, text]).toEqual([500, expect.stringContaining('metadata.name: is \\"other\\"')]);
  });
});

describe("a promise of a user's source that never settles", () => {
  test("ends with the request's time limit, whose signal aborts; other requests and resources go on", async () => {
    let signal: AbortSignal | undefined;
    const get = (name: string, request: { signal: AbortSignal }) => {
      if (name === "two") return { metadata: { name } };
      ({ signal } = request);
      return new Promise(() => {});
    };
    await using server = await serverOf({ get });
    const hung = server.send("GET", `${WIDGETS}/one?timeout=300ms`);
    await eventually(() => expect(signal).toBeDefined());
    expect((await server.send("GET", `${WIDGETS}/two`)).status).toBe(200);
    expect((await server.send("GET", "/apis/stable.example.com/v1")).status).toBe(200);
    expect((await hung).status).toBe(504);
    await eventually(() => expect(signal?.aborted).toBe(true));
    await eventually(() =>
      expect(server.reported).toEqual(['get of widgets.stable.example.com "one" did not answer in time']),
    );
  });

  test("does not block the next change of the same object", async () => {
    const kept = new Map<string, KubeObject>([["default/one", one]]);
    let calls = 0;
    const update = (object: KubeObject) => {
      if (calls++ === 0) return new Promise<undefined>(() => {});
      kept.set("default/one", object);
      return undefined;
    };
    await using server = await serverOf({ ...objectsOf(kept), update });
    const body = (size: number) => ({ ...one, spec: { size } });
    expect((await server.send("PUT", `${WIDGETS}/one?timeout=200ms`, body(1))).status).toBe(504);
    const second = await server.send("PUT", `${WIDGETS}/one`, body(2));
    expect([second.status, second.at("spec.size")]).toEqual([200, 2]);
  });
});
