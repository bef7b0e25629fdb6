import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deferred } from "../../src/base/async/deferred.js";
import { configFromText } from "../../src/client/config/load-config.js";
import { kubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import { SharedInformer } from "../../src/client/informers/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { type Cut, startTcpProxy } from "../helpers/tcp-proxy.js";

/** client-go's own variables, so that nobody waits for 45 s. KUBETS_OWN_TIMES=1 leaves client-go's times as they are. */
const SOON =
  process.env.KUBETS_OWN_TIMES === undefined
    ? { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "1", HTTP2_PING_TIMEOUT_SECONDS: "1" }
    : {};
const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };

let cluster: Cluster;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  cluster = await startCluster({ controllers: [] });
});

afterAll(() => cluster.close());

const clusterPort = (): number => Number(new URL(cluster.url).port);

/** A proxy that opens a tunnel to the cluster, whatever it is asked for. */
async function startTunnel(): Promise<number> {
  const server = createHttpServer().on("connect", (_request, near) => {
    const far = connect(clusterPort(), "127.0.0.1").on("error", () => near.destroy());
    near.on("error", () => far.destroy()).write("HTTP/1.1 200 OK\r\n\r\n");
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

interface Way {
  readonly kubeconfig: (port: number) => string;
  /** Where the relay leads. */
  readonly to: () => Promise<number>;
}

const DIRECT: Way = {
  kubeconfig: (port) => cluster.kubeconfig().replaceAll(cluster.url, `https://127.0.0.1:${port}`),
  to: () => Promise.resolve(clusterPort()),
};
const THROUGH_PROXY: Way = {
  kubeconfig(port) {
    const config = JSON.parse(cluster.kubeconfig()) as { readonly clusters: readonly { readonly cluster: object }[] };
    for (const { cluster: entry } of config.clusters) Object.assign(entry, { "proxy-url": `http://127.0.0.1:${port}` });
    return JSON.stringify(config);
  },
  to: startTunnel,
};

const WAYS: readonly (readonly [string, Way])[] = [
  ["a line", DIRECT],
  ["a line to a proxy", THROUGH_PROXY],
];
const CUTS: readonly Cut[] = ["silent", "half a TLS record", "reset", "ended"];

interface Row {
  readonly title: string;
  readonly way: Way;
  readonly cut: Cut;
  readonly streamingLists: boolean;
}

const ROWS: readonly Row[] = WAYS.flatMap(([over, way]) =>
  CUTS.flatMap((cut) =>
    [true, false].map((streamingLists) => ({
      title: `over ${over} that is cut, ${cut}, ${streamingLists ? "with a streamed list" : "with a list in pages"}`,
      way,
      cut,
      streamingLists,
    })),
  ),
);

/** What an informer's handler was called with, and what its cache holds, after the line was cut and mended. */
async function play({ way, cut, streamingLists }: Row, namespace: string) {
  const api = cluster.transport();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const write = async (method: string, to: string, body?: object): Promise<void> => {
    const { status, text } = await call(api, method, to, body);
    expect(status, text).toBeLessThan(300);
  };
  await write("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  for (const name of ["goes", "changes", "stays"]) await write("POST", path, { metadata: { name } });

  const relay = await startTcpProxy(await way.to());
  open.push(relay);
  const client = kubernetesClient(await configFromText(way.kubeconfig(relay.port), { env: {} }), { env: SOON });
  const stopping = new AbortController();
  const seen: string[] = [];
  const faulty = deferred<void>();
  const informer = new SharedInformer(client.resource(CONFIG_MAPS).namespace(namespace), {
    streamingLists,
    onFault: () => faulty.resolve(),
  });
  informer.addHandler({
    added: ({ metadata }) => void seen.push(`added ${metadata?.name}`),
    updated: (_old, { metadata }) => void seen.push(`changed ${metadata?.name}`),
    deleted: ({ metadata }) => void seen.push(`deleted ${metadata?.name}`),
  });
  const running = informer.run(stopping.signal);
  open.push({
    close: async () => {
      stopping.abort();
      await running;
      await client.close();
    },
  });
  await eventually(() => expect(seen.toSorted()).toEqual(["added changes", "added goes", "added stays"]));
  seen.length = 0;

  const start = performance.now();
  relay.cut(cut);
  await write("DELETE", `${path}/goes`);
  await write("PUT", `${path}/changes`, { metadata: { name: "changes" }, data: { a: "b" } });
  await write("POST", path, { metadata: { name: "comes" } });
  await faulty.promise;
  const noticedAfter = performance.now() - start;
  const seenWhileCut = [...seen];
  relay.mend();
  await eventually(() => expect(seen).toHaveLength(3));
  if (process.env.KUBETS_OWN_TIMES !== undefined) {
    const times = [noticedAfter, performance.now() - start].map((time) => `${(time / 1000).toFixed(1)} s`);
    process.stderr.write(`${namespace}: noticed after ${times[0]}, current after ${times[1]}\n`);
  }
  const cached = [...informer.cache.values()].map(({ metadata }) => metadata?.name ?? "");
  return { seenWhileCut, seen: seen.toSorted(), cached: cached.toSorted() };
}

describe("an informer misses no change when its network connection", () => {
  let outcomes: readonly Promise<unknown>[];
  // Waits of minutes: all at once.
  beforeAll(() => {
    outcomes = ROWS.map((row, index) => play(row, `row-${index}`));
    for (const outcome of outcomes) outcome.catch(() => {});
  });
  afterAll(async () => {
    for (const one of open.splice(0).toReversed()) await one.close();
  });

  test.each(ROWS.map(({ title }, index) => [title, index] as const))(
    "is %s, and later works again",
    async (_, index) => {
      expect(await outcomes[index]).toEqual({
        seenWhileCut: [],
        seen: ["added comes", "changed changes", "deleted goes"],
        cached: ["changes", "comes", "stays"],
      });
    },
  );
});
