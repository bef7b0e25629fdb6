import { describe, expect, test } from "vitest";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { createRestClient, type RestClientOptions } from "../../../src/client/rest/create-rest-client.js";
import { encodePath, encodeQuery } from "../../../src/client/rest/encode-query.js";
import { goDurationText } from "../../../src/client/rest/go-duration-text.js";
import { warningTexts } from "../../../src/client/rest/warning-headers.js";
import type { Transport, TransportRequest } from "../../../src/client/transport/transport.js";
import { TransportError } from "../../../src/client/transport/transport-error.js";
import { isStatusError } from "../../../src/machinery/errors/status-error.js";

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string;
}

/** Gives each request the next answer; a request too many, and an answer nobody asked for, both fail. */
function scripted(...answers: (Answer | Error)[]): {
  transport: Transport;
  requests: TransportRequest[];
  left(): number;
} {
  const requests: TransportRequest[] = [];
  const transport: Transport = {
    send: (request) => {
      requests.push(request);
      const answer = answers.shift();
      if (answer === undefined) return Promise.reject(new Error("one request too many"));
      if (answer instanceof Error) return Promise.reject(answer);
      const { status = 200, headers = {}, body = "" } = answer;
      return Promise.resolve({ status, headers, body: chunks(body) });
    },
    close: () => Promise.resolve(),
  };
  return { transport, requests, left: () => answers.length };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

const config: ClientConfig = {
  server: "https://h/prefix",
  tls: { insecureSkipVerify: false },
  auth: {},
  disableCompression: false,
  timeout: 0,
  userAgent: "kubectl/v1.37.1",
  namespace: "default",
  namespaceEnforced: false,
  cacheDir: "",
};

const client = (transport: Transport, own: Partial<ClientConfig> = {}, options: Partial<RestClientOptions> = {}) =>
  createRestClient({ ...config, ...own }, { transport, ...options });

describe("a request of the client", () => {
  test("has kubectl's headers, the server's path prefix, and the query in Go's order and escaping", async () => {
    const { transport, requests } = scripted({ body: "{}" });
    const auth = { token: "t", impersonate: { user: "me", groups: ["g", "h"], extra: { "a/b": ["1"] } } };
    await client(transport, { auth }, { headers: { "kubectl-command": "kubectl get" } }).request({
      method: "GET",
      path: "/api/v1/pods",
      query: { limit: "500", labelSelector: "a=b c", fieldSelector: undefined },
    });
    expect(requests).toEqual([
      {
        method: "GET",
        path: "/prefix/api/v1/pods?labelSelector=a%3Db+c&limit=500",
        headers: {
          "user-agent": "kubectl/v1.37.1",
          accept: "application/json, */*",
          "kubectl-command": "kubectl get",
          "accept-encoding": "gzip",
          authorization: "Bearer t",
          "impersonate-user": "me",
        },
        repeatedHeaders: { "impersonate-group": ["g", "h"], "impersonate-extra-a%2fb": ["1"] },
      },
    ]);
  });

  test("sends --request-timeout as a parameter", async () => {
    const { transport, requests } = scripted({ body: "{}" });
    await client(transport, { timeout: 90_000 }).request({
      method: "GET",
      path: "/version",
      query: { timeout: "32s" },
    });
    expect(requests[0]?.path).toBe("/prefix/version?timeout=1m30s");
  });

  test.each([
    [{ method: "a b", "ä/ö": "!'()*~-_." }, "?method=a+b&%C3%A4%2F%C3%B6=%21%27%28%29%2A~-_."],
    [{ b: "2", a: ["1", "0"], c: undefined }, "?a=1&a=0&b=2"],
    [undefined, ""],
  ])("encodes the query %o", (query, text) => expect(encodeQuery(query)).toBe(text));

  test("keeps the escapes of its path", () => expect(encodePath("/a b/%2F/ü?")).toBe("/a%20b/%2F/%C3%BC%3F"));

  test.each([
    [32_000, "32s"],
    [90_000, "1m30s"],
    [3_600_000, "1h0m0s"],
    [1500, "1.5s"],
    [500, "500ms"],
    [0.5, "500µs"],
    [-1000, "-1s"],
  ])("sends a time limit of %d ms as %s", (milliseconds, text) => expect(goDurationText(milliseconds)).toBe(text));
});

describe("an answer that the client receives", () => {
  test("passes its warnings to the handler before its body", async () => {
    const { transport } = scripted({
      headers: { warning: ['299 - "one", 299 - "two"', '299 - "b\\"q\\"" "date"', '199 - "no"'] },
      body: "{}",
    });
    const rest = client(transport);
    const heard: string[] = [];
    rest.onWarning = (text) => heard.push(text);
    await rest.request({ method: "GET", path: "/" });
    expect(heard).toEqual(["one", "two", 'b"q"']);
  });

  test("loses the rest of a warning header behind a text that cannot be parsed", () =>
    expect(warningTexts(['299 - "one", 299 "x"', "rubbish", '299 - "caf\u00c3\u00a9"'])).toEqual(["one", "café"]));

  test("keeps integers beyond 2^53 exact", async () => {
    const { transport } = scripted({ body: '{"n":9007199254740993}' });
    expect((await client(transport).request({ method: "GET", path: "/" })).json()).toEqual({ n: 9007199254740993n });
  });

  test.each<[string, string, string, Answer, object]>([
    [
      "the Status in the body",
      "GET",
      "/api/v1/pods",
      {
        status: 404,
        headers: { "content-type": "application/json" },
        body: '{"kind":"Status","status":"Failure","reason":"NotFound","message":"m","code":404}',
      },
      { message: "m", reason: "NotFound", code: 404 },
    ],
    [
      "text, of an object",
      "GET",
      "/api/v1/namespaces/ns/pods/x",
      { status: 404, body: "nope" },
      { message: "the server could not find the requested resource (get pods x)", reason: "NotFound" },
    ],
    [
      "a namespace's own part",
      "PUT",
      "/api/v1/namespaces/ns/finalize",
      { status: 404 },
      { message: "the server could not find the requested resource (put namespaces ns)" },
    ],
    [
      "a group's resource",
      "POST",
      "/apis/apps/v1/namespaces/ns/deployments",
      { status: 409, headers: { "content-type": "text/plain" } },
      { message: "the server reported a conflict (post deployments.apps)", reason: "AlreadyExists" },
    ],
    [
      "a 500 with its text",
      "GET",
      "/version",
      { status: 500, body: "boom\n" },
      { message: 'an error on the server ("boom") has prevented the request from succeeding', reason: "InternalError" },
    ],
    [
      "a 403 page",
      "GET",
      "/version",
      { status: 403, headers: { "content-type": "text/html" }, body: "<p>" },
      { message: "<p>", reason: "Forbidden" },
    ],
    [
      "a 401",
      "GET",
      "/version",
      { status: 401, headers: { "content-type": "application/octet-stream" } },
      { message: "the server has asked for the client to provide credentials", reason: "Unauthorized" },
    ],
  ])("with an error is thrown as %s", async (_, method, path, answer, expected) => {
    const { transport } = scripted(answer);
    const error: unknown = await client(transport)
      .request({ method, path })
      .catch((thrown: unknown) => thrown);
    expect(isStatusError(error)).toBe(true);
    expect(error).toMatchObject(expected);
  });

  test("with an error leaves out the path of a raw request", async () => {
    const { transport } = scripted({ status: 404 });
    await expect(
      client(transport).stream({ method: "GET", path: "/api/v1/pods", userPath: true }),
    ).rejects.toHaveProperty("message", "the server could not find the requested resource");
  });
});

describe("the client's retries of a request", () => {
  const busy: Answer = { status: 429, headers: { "retry-after": "2" } };
  const waits: number[] = [];
  const sleep = (milliseconds: number) => {
    waits.push(milliseconds);
    return Promise.resolve();
  };

  test.each<[string, string, (Answer | Error)[], string]>([
    [
      "429 with Retry-After, writes too",
      "POST",
      [busy, { status: 503, headers: { "retry-after": "0" } }, { body: '{"ok":1}' }],
      "ok",
    ],
    ["at most ten times", "GET", Array.from({ length: 11 }, () => busy), "TooManyRequests"],
    ["not without Retry-After", "GET", [{ status: 503 }], "ServiceUnavailable"],
    ["a read over a connection that broke", "GET", [new TransportError("EOF"), { body: '{"ok":1}' }], "ok"],
    ["not a write over one", "POST", [new TransportError("EOF")], "EOF"],
    ["not a refused connection", "GET", [new TransportError("dial tcp: connect: connection refused")], "refused"],
  ])("%s", async (_, method, answers, expected) => {
    const script = scripted(...answers);
    const outcome = await client(script.transport, {}, { sleep })
      .request({ method, path: "/version" })
      .then(
        (answer) => JSON.stringify(answer.json()),
        (error: unknown) => (isStatusError(error) ? error.reason : String(error)),
      );
    expect(outcome).toContain(expected);
    expect(script.left()).toBe(0);
  });
});
