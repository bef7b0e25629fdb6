import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { eventually } from "../../../helpers/eventually.js";
import { configure } from "../../../helpers/configured-webhooks.js";
import {
  allow,
  base64,
  certificates,
  startWebhookServer,
  type WebhookServer,
} from "../../../helpers/webhook-server.js";
import { inShortTurns } from "../../../helpers/short-turns.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const FAILED = 'Internal error occurred: failed calling webhook "one.webhook.test": failed to call webhook: ';
const POST = 'Post "URL/hook?timeout=30s": ';
/** Seconds that a webhook has which answers at last, and which never does. */
const [ANSWERING, SILENT] = [30, 3];

let server: AdmittingServer;
let hooks: WebhookServer;
let expired: WebhookServer;
let elsewhere: WebhookServer;
let thread: Worker;
let hostileUrl: string;
let hostileBundle: string;

const hostile = (path: string) => () => ({ url: `${hostileUrl}/${path}`, caBundle: hostileBundle });

beforeAll(async () => {
  server = await admittingServer({});
  hooks = await startWebhookServer();
  expired = await startWebhookServer({ notAfter: Date.UTC(2020, 0, 1) });
  elsewhere = await startWebhookServer({ names: ["example.com", "10.0.0.1"] });
  const { authority, leaf } = certificates(["127.0.0.1"]);
  hostileBundle = base64(authority.certificate);
  const workerData = { key: leaf.key, cert: leaf.certificate };
  thread = new Worker(new URL("../../../helpers/hostile-webhook.mjs", import.meta.url), { workerData });
  const port = await new Promise((resolve) => thread.once("message", resolve));
  hostileUrl = `https://127.0.0.1:${String(port)}`;
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await thread.terminate();
  for (const one of [hooks, expired, elsewhere]) await one[Symbol.asyncDispose]();
});

const plain = (text: unknown): string =>
  String(text)
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "URL")
    .replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS")
    .replaceAll(/URL\/\w+/g, "URL/hook");

let created = 0;

/** Creates a config map that a webhook is asked about. */
async function create(clientConfig: object, timeoutSeconds = ANSWERING): Promise<readonly [number, string]> {
  const name = `c${++created}`;
  const objectSelector = { matchLabels: { name } };
  const webhook = { clientConfig, timeoutSeconds, objectSelector };
  await using _ = await configure(server.api, "validating", [webhook], name);
  const { status, at } = await call(server.api, "POST", `${MAPS}?dryRun=All`, { metadata: { name, labels: { name } } });
  return [status, plain(at("message"))];
}

type Row = readonly [what: string, target: () => object, message: string | RegExp];

describe("an admission webhook that answers wrongly or not at all", () => {
  const TLS = `${FAILED}${POST}tls: failed to verify certificate: x509: `;
  const READ = `${FAILED}unexpected error when reading response body. Please retry. Original error: `;
  const TOO_LONG = new RegExp(`^${escaped(READ)}the answer is longer than`);
  const slow: readonly Row[] = [
    ["one that never answers", hostile("silent"), `${FAILED}Post "URL/hook?timeout=3s": context deadline exceeded`],
    ["one that stops in the middle", hostile("half"), `${READ}context deadline exceeded`],
    ["one that answers a blank at a time", hostile("drip"), `${READ}context deadline exceeded`],
    ["one that asks to be tried again until the time is over", hostile("later"), `${FAILED}context deadline exceeded`],
  ];
  const rows: readonly Row[] = [
    ["one that answers without end", hostile("endless"), TOO_LONG],
    ["one that answers 100 MB", hostile("long"), TOO_LONG],
    ["one that answers 100 MB with an error", hostile("failing"), TOO_LONG],
    ["one whose small answer unpacks to 100 MB", hostile("bomb"), TOO_LONG],
    [
      "one that answers 3 MB of nested lists",
      hostile("nested"),
      `${FAILED}couldn't get version/kind; json parse error: exceeded max depth`,
    ],
    [
      "one that answers 3 MB of short keys",
      hostile("keys"),
      /received invalid webhook response: expected response.uid=/,
    ],
    [
      "one that answers 3 MB of small lists",
      hostile("lists"),
      /received invalid webhook response: webhook response was absent$/,
    ],
    ["one that answers a text of 3 MB", hostile("text"), /received invalid webhook response: expected response.uid=/],
    [
      "one with a certificate of another authority",
      () => ({ ...hooks.on("/hook", (given) => allow(given)), caBundle: elsewhere.caBundle }),
      new RegExp(`${escaped(TLS)}certificate signed by unknown authority`),
    ],
    [
      "one whose authority no system knows",
      () => ({ url: `${hooks.url}/hook` }),
      `${TLS}certificate signed by unknown authority`,
    ],
    [
      "one with a certificate that has expired",
      () => expired.on("/hook", (given) => allow(given)),
      new RegExp(
        `${escaped(TLS)}certificate has expired or is not yet valid: current time .* is after 2020-01-01T00:00:00Z$`,
      ),
    ],
    [
      "one with a certificate for another name",
      () => elsewhere.on("/hook", (given) => allow(given)),
      `${TLS}certificate is valid for 10.0.0.1, not 127.0.0.1`,
    ],
    [
      "one that nothing listens for",
      () => ({ ...hooks.on("/hook", allow), url: "https://127.0.0.1:1/hook" }),
      `${FAILED}${POST}dial tcp ADDRESS: connect: connection refused`,
    ],
  ];
  const TITLE = "%s fails its request alone, and holds the event loop for no longer than 50 ms of calibrated work";
  const checkWithin =
    (seconds: number) =>
    async (_: string, target: () => object, message: string | RegExp): Promise<void> => {
      const config = target();
      const [status, said] = await inShortTurns(() => create(config, seconds));
      expect(status).toBe(500);
      if (typeof message === "string") expect(said).toBe(message);
      else expect(said).toMatch(message);
    };
  test.concurrent.each(slow)(TITLE, checkWithin(SILENT));
  test.each(rows)(TITLE, checkWithin(ANSWERING));

  test("delays only its own request", async () => {
    const clientConfig = hooks.on("/hook", () => undefined);
    const labelled = { clientConfig, timeoutSeconds: 1, objectSelector: { matchLabels: { slow: "1" } } };
    await using _ = await configure(server.api, "validating", [labelled]);
    let ended = false;
    const slow = call(server.api, "POST", MAPS, { metadata: { name: "slow", labels: { slow: "1" } } }).then(
      (answer) => {
        ended = true;
        return answer;
      },
    );
    for (const name of ["x", "y", "z"]) await done(server.api, "POST", MAPS, { metadata: { name } });
    expect(ended).toBe(false);
    expect((await slow).status).toBe(500);
  });

  test("that changes the object itself before it answers is called again for the changed object", async () => {
    await done(server.api, "POST", MAPS, { metadata: { name: "self" }, data: { a: "1" } });
    const seen: unknown[] = [];
    const clientConfig = hooks.on("/hook", (given, response) => {
      const { data } = given.request["oldObject"] as { data: object };
      seen.push(data);
      const own = [{ op: "add", path: "/data/own", value: "1" }];
      const ownChange = call(server.api, "PATCH", `${MAPS}/self?fieldManager=own`, own, {
        type: "application/json-patch+json",
      });
      void ownChange.then(({ status }) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(allow(given, { warnings: [`own change: ${status}`] })));
      });
    });
    const matched = { clientConfig, objectSelector: { matchLabels: { ask: "1" } } };
    await using _ = await configure(server.api, "validating", [matched], "self");
    const merge = { type: "application/merge-patch+json" };
    const labels = { metadata: { labels: { ask: "1" } } };
    const { status, at, headers } = await call(server.api, "PATCH", `${MAPS}/self`, labels, merge);
    expect([status, at("data"), at("metadata.labels")]).toEqual([200, { a: "1", own: "1" }, { ask: "1" }]);
    expect(seen).toEqual([{ a: "1" }, { a: "1", own: "1" }]);
    expect(headers["warning"]).toEqual(['299 - "own change: 200"']);
  });

  test("is called on another connection after a failure", async () => {
    let failing = true;
    const clientConfig = hooks.on("/hook", (given, response) => (failing ? void response.destroy() : allow(given)));
    await using _ = await configure(server.api, "validating", [{ clientConfig }]);
    expect((await call(server.api, "POST", MAPS, { metadata: { name: "r" } })).status).toBe(500);
    failing = false;
    expect((await call(server.api, "POST", MAPS, { metadata: { name: "r" } })).status).toBe(201);
  });

  test("without TLS is reported as such", async () => {
    const plainText = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    await new Promise<void>((resolve) => plainText.listen(0, "127.0.0.1", resolve));
    const { port } = plainText.address() as AddressInfo;
    const [, message] = await create({ caBundle: hooks.caBundle, url: `https://127.0.0.1:${port}/hook` });
    expect(message).toBe(`${FAILED}${POST}http: server gave HTTP response to HTTPS client`);
    plainText.close();
  });

  test("gives back the memory that its answers of 100 MB took", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    // The flag is the process's: compiled code of other tests would be refused by it.
    setFlagsFromString("--no-expose-gc");
    const held = (): number => {
      collect();
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return heapUsed + external + arrayBuffers;
    };
    const clientConfig = hostile("long")();
    await create(clientConfig);
    const before = held();
    for (let round = 0; round < 5; round++) expect((await create(clientConfig))[0]).toBe(500);
    await eventually(async () => expect(held() - before).toBeLessThan(8e6));
  });
});

describe("an admission webhook with a clientConfig that cannot be used fails the request:", () => {
  const rows: readonly (readonly [what: string, clientConfig: () => object, message: string])[] = [
    [
      "a bundle that is no PEM",
      () => ({ url: `${hooks.url}/hook`, caBundle: Buffer.from("nonsense").toString("base64") }),
      "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block",
    ],
    [
      "a bundle with a key in it",
      () => ({
        url: `${hooks.url}/hook`,
        caBundle: Buffer.from("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n").toString("base64"),
      }),
      "could not get REST client: unable to load root certificates: no valid certificate authority data seen",
    ],
  ];
  test.each(rows)("%s", async (_, clientConfig, message) => {
    expect(await create(clientConfig())).toEqual([
      500,
      `Internal error occurred: failed calling webhook "one.webhook.test": ${message}`,
    ]);
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
