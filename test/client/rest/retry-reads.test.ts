import { describe, expect, test } from "vitest";
import { retryReads } from "../../../src/client/rest/retry-reads.js";
import type { RestClient, RestRequest, RestResponse } from "../../../src/client/rest/rest-client.js";
import { TransportError } from "../../../src/client/transport/transport-error.js";
import { notFound } from "../../../src/machinery/errors/status-error.js";

const refused = (): Error =>
  new TransportError("dial tcp 127.0.0.1:1: connect: connection refused", {
    method: "GET",
    url: "https://127.0.0.1:1/",
  });

/** A client whose requests end as listed, one after the other, and then are answered. */
function failing(retries: number, ...ends: (Error | undefined)[]) {
  const sent: string[] = [];
  const told: string[] = [];
  const send = async ({ method, path }: RestRequest): Promise<never> => {
    sent.push(`${method} ${path}`);
    const end = ends.shift();
    if (end !== undefined) throw end;
    return { status: 200 } satisfies Partial<RestResponse> as never;
  };
  const client: RestClient = { server: "https://h", request: send, stream: send, close: () => Promise.resolve() };
  const retrying = retryReads(client, {
    retries,
    sleep: async (milliseconds) => void told.push(`waits ${milliseconds}`),
    tell: (error, attempt, wait) => void told.push(`${attempt}: ${error.message.slice(-7)}, ${wait}`),
  });
  return { client: retrying, sent, told };
}

const get: RestRequest = { method: "GET", path: "/a" };

test("with --retry, a failed read is repeated until it is answered, after longer and longer waits", async () => {
  const { client, sent, told } = failing(5, refused(), refused(), refused());
  expect((await client.request(get)).status).toBe(200);
  expect(sent).toEqual(["GET /a", "GET /a", "GET /a", "GET /a"]);
  expect(told).toEqual([
    "1: refused, 500",
    "waits 500",
    "2: refused, 1000",
    "waits 1000",
    "3: refused, 2000",
    "waits 2000",
  ]);
});

test("with --retry, no wait is longer than half a minute", async () => {
  const { client, told } = failing(9, ...Array.from({ length: 9 }, refused));
  await client.request(get);
  expect(told.filter((line) => line.startsWith("waits")).slice(-3)).toEqual([
    "waits 30000",
    "waits 30000",
    "waits 30000",
  ]);
});

test("with --retry, a request for a stream is repeated as well", async () => {
  const { client, sent } = failing(1, refused());
  await client.stream(get);
  expect(sent).toHaveLength(2);
});

test.each(["POST", "PUT", "PATCH", "DELETE"])("with --retry, a %s is sent only once", async (method) => {
  const { client, sent } = failing(3, refused());
  await expect(client.request({ method, path: "/a" })).rejects.toThrow("connection refused");
  expect(sent).toEqual([`${method} /a`]);
});

test("with --retry, after the given number of failures in a row no request is repeated any more", async () => {
  const { client, sent } = failing(2, refused(), refused(), refused(), refused());
  await expect(client.request(get)).rejects.toThrow("connection refused");
  await expect(client.request({ method: "GET", path: "/b" })).rejects.toThrow("connection refused");
  expect(sent).toEqual(["GET /a", "GET /a", "GET /a", "GET /b"]);
});

test("with --retry, an answer resets the count of failures", async () => {
  const { client, sent } = failing(1, refused(), undefined, refused(), undefined);
  await client.request(get);
  await client.request(get);
  expect(sent).toHaveLength(4);
});

describe("with --retry, a read is not repeated after", () => {
  test.each([
    { title: "a server's own answer", error: notFound({ group: "", resource: "pods" }, "a") },
    {
      title: "a certificate that is not trusted",
      error: new TransportError("tls: failed to verify certificate: x509: certificate signed by unknown authority", {
        method: "GET",
        url: "https://h/a",
      }),
    },
    { title: "anything that is not about the connection", error: new TypeError("a mistake") },
  ])("$title", async ({ error }) => {
    const { client, sent } = failing(3, error);
    await expect(client.request(get)).rejects.toBe(error);
    expect(sent).toHaveLength(1);
  });

  test("its own abort", async () => {
    const { client, sent } = failing(3, refused());
    await expect(client.request({ ...get, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(sent).toHaveLength(1);
  });
});

test("with --retry, a read whose answer broke off is repeated", async () => {
  const broken = new Error("unexpected error when reading response body.", { cause: new TransportError("EOF") });
  const { client, sent } = failing(1, broken);
  await client.request(get);
  expect(sent).toHaveLength(2);
});
