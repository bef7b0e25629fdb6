import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { isForbidden, kubernetesClient, type KubernetesClient, loadConfig } from "../../src/client/index.js";
import type { ResourceClient } from "../../src/client/index.js";
import type { TransportRequest, TransportResponse } from "../../src/client/transport/transport.js";
import { TransportError } from "../../src/client/transport/transport-error.js";
import { waitFor, waitForDeletion, WaitTimeoutError } from "../../src/client/wait-for.js";
import { startCluster } from "../../src/cluster/index.js";
import { expired, forbidden } from "../../src/machinery/errors/status-error.js";
import { eventually } from "../helpers/eventually.js";

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;
let maps: ResourceClient;
let requests: string[];
/** Answers of the next watches; without one, the server answers. */
let watches: (() => Promise<TransportResponse>)[];
let lists: (() => Promise<TransportResponse>)[];
/** Pauses take no time; time limits last for ever, until `endTime` is called. */
let endTime: () => void;
const timers = {
  start(milliseconds: number, callback: () => void) {
    if (milliseconds <= 1000) setImmediate(callback);
    else endTime = callback;
    return () => {};
  },
};

beforeAll(async () => {
  cluster = await startCluster({ port: false, storage: "memory" });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  const server = cluster.transport();
  const send = (request: TransportRequest) => {
    const isWatch = request.path.includes("watch=true");
    if (request.method === "GET") requests.push(isWatch ? "watch" : "list");
    const answer = request.method !== "GET" ? undefined : isWatch ? watches.shift() : lists.shift();
    return answer === undefined ? server.send(request) : answer();
  };
  client = kubernetesClient(config, { transport: { send, close: () => server.close() } });
  maps = client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default");
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});
beforeEach(async () => {
  [requests, watches, lists, endTime] = [[], [], [], () => {}];
  await maps.deleteCollection({ labelSelector: "test" });
});

const map = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { test: "yes" } },
  data: { value },
});
const holds = (value: string) => (object: object) => (object as ReturnType<typeof map>).data?.value === value;
const watching = () => eventually(async () => expect(requests.at(-1)).toBe("watch"));
const answered =
  (...lines: unknown[]) =>
  (): Promise<TransportResponse> =>
    Promise.resolve({
      status: 200,
      headers: { "content-type": "application/json" },
      body: (async function* () {
        for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
      })(),
    });
const refused = (): Promise<never> =>
  Promise.reject(new TransportError("connect: connection refused", { method: "GET" }));

test("waitFor() finds an object that already meets the predicate without a watch", async () => {
  await maps.create(map("a", "1"));
  expect((await waitFor(maps, "a", holds("1"), { timers })).metadata?.name).toBe("a");
  expect(requests).toEqual(["list"]);
});

test("waitFor() waits until the object exists and meets the predicate", async () => {
  const found = waitFor(maps, "a", holds("2"), { timers });
  await watching();
  await maps.create(map("other", "2"));
  await maps.create(map("a", "1"));
  await maps.patch("a", { data: { value: "2" } }, { type: "merge" });
  expect(await found).toMatchObject(map("a", "2"));
});

test("waitFor() waits for a deletion", async () => {
  await maps.create(map("a", "1"));
  const gone = waitForDeletion(maps, "a", { timers });
  await watching();
  await maps.delete("a");
  await gone;
});

test("waitFor() lists again after an expired version, and watches again after a watch that ends or breaks off", async () => {
  const { status } = expired("too old resource version: 1 (2)");
  watches = [answered(), answered({ type: "ERROR", object: status }), refused];
  await maps.create(map("a", "1"));
  const found = waitFor(maps, "a", holds("2"), { timers });
  await eventually(async () => expect(requests).toEqual(["list", "watch", "watch", "list", "watch", "watch"]));
  await maps.patch("a", { data: { value: "2" } }, { type: "merge" });
  await found;
});

test("waitFor() retries while the server is away", async () => {
  await maps.create(map("a", "1"));
  lists = [refused, refused];
  await waitFor(maps, "a", holds("1"), { timers });
  expect(requests).toEqual(["list", "list", "list"]);
});

test("waitFor() rejects at its time limit with the object's last state", async () => {
  await maps.create(map("a", "1"));
  const waiting = waitFor(maps, "a", holds("2"), { timers, timeout: 5000 });
  waiting.catch(() => {});
  await watching();
  endTime();
  await expect(waiting).rejects.toThrow(
    /^timed out after 5000 ms waiting for ConfigMap default\/a: its last state was {.*"value":"1"/,
  );
  await expect(waiting).rejects.toBeInstanceOf(WaitTimeoutError);
});

test("waitFor() rejects at its time limit with the fact that the object does not exist", async () => {
  const waiting = waitFor(maps, "a", holds("2"), { timers, timeout: 5000 });
  waiting.catch(() => {});
  await watching();
  endTime();
  await expect(waiting).rejects.toThrow("timed out after 5000 ms waiting for ConfigMap a: it does not exist");
});

test("waitFor() rejects at its time limit with the fact that the server was down all the time", async () => {
  lists = Array.from({ length: 10_000 }, () => refused);
  const waiting = waitFor(maps, "a", holds("2"), { timers });
  waiting.catch(() => {});
  await eventually(async () => expect(requests.length).toBeGreaterThan(3));
  endTime();
  await expect(waiting).rejects.toThrow(/waiting for object a: .*connection refused$/);
});

test("waitFor() throws at once when the server forbids the request", async () => {
  const { status } = forbidden({ group: "", resource: "configmaps" }, "a", "no");
  lists = [async () => ({ ...(await answered(status)()), status: 403 })];
  await expect(waitFor(maps, "a", holds("2"), { timers })).rejects.toSatisfy(isForbidden);
});

test("waitFor() throws an error of the predicate unchanged", async () => {
  await maps.create(map("a", "1"));
  const failing = () => {
    throw new Error("no such field");
  };
  await expect(waitFor(maps, "a", failing, { timers })).rejects.toThrow("no such field");
});

test("waitFor() ends with its signal's reason", async () => {
  const stop = new AbortController();
  const waiting = waitFor(maps, "a", holds("2"), { timers, signal: stop.signal });
  waiting.catch(() => {});
  await watching();
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});
