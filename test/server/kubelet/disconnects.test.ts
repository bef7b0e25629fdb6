import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Deferred, deferred } from "../../../src/base/async/deferred.js";
import { configFromText, type KubernetesClient, kubernetesClient } from "../../../src/client/index.js";
import { openPortForward } from "../../../src/client/streaming/port-forward.js";
import { runRemoteCommand } from "../../../src/client/streaming/remote-command.js";
import { portForwardHeaders } from "../../../src/machinery/wire/streams/port-forward.js";
import type { Program } from "../../../src/node/scripted/program.js";
import { done } from "../../helpers/admitting-server.js";
import { eventually } from "../../helpers/eventually.js";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";
import { startTcpProxy, type TcpProxy } from "../../helpers/tcp-proxy.js";

/** Milliseconds of the shortest wait for a peer that does not close. */
const SHORTEST_CLOSING = 10_000;
/** The longest that a timer can wait: 25 days. */
const NEVER = 2 ** 31 - 1;
const PODS = "/api/v1/namespaces/default/pods";

let shared: StreamingCluster;
/** The client reaches the API server through the one, and the API server the kubelet through the other. */
let toServer: TcpProxy;
let toKubelet: TcpProxy;
let client: KubernetesClient;
/** Of the program or the connection in the container. */
let began: Deferred<void>;
let ended: Deferred<void>;

/** Runs until a signal or the end of its input ends it. */
const waits: Program = async ({ stdin, stdout, signal }) => {
  signal.addEventListener("abort", () => ended.resolve());
  await stdout.write("begun\n");
  began.resolve();
  while ((await stdin.read()) !== undefined);
  ended.resolve();
  return 0;
};

// The waits for a peer that does not close never end, so that what ends by such a wait alone does not end.
const { setTimeout: start } = globalThis;
beforeAll(() => {
  const startUnlessClosing = (callback: () => void, milliseconds = 0, ...given: []): NodeJS.Timeout =>
    start(callback, milliseconds < SHORTEST_CLOSING ? milliseconds : NEVER, ...given);
  globalThis.setTimeout = Object.assign(startUnlessClosing, start) as typeof setTimeout;
});
afterAll(() => {
  globalThis.setTimeout = start;
});

beforeAll(async () => {
  const image = {
    programs: { waits },
    ports: {
      80: async (connection: AsyncIterable<Uint8Array>) => {
        began.resolve();
        try {
          for await (const _chunk of connection);
        } finally {
          ended.resolve();
        }
      },
    },
  };
  const names = ["client", "kubelet", "container"].flatMap((who) =>
    ["true", "false"].flatMap((way) => ["forwarded", "attached", "entered"].map((kind) => `${who}-${way}-${kind}`)),
  );
  const pods = names.map((name) => pod(name, [{ name: "c", image: "waiting", stdin: true, command: ["cat"] }]));
  shared = await streamingCluster(pods, { waiting: image });
  toServer = await startTcpProxy(Number(new URL(shared.cluster.url).port));
  toKubelet = await startTcpProxy(shared.kubelet.port);
  const Port = Number(toKubelet.address.split(":")[1]);
  const status = { daemonEndpoints: { kubeletEndpoint: { Port } } };
  const merge = "application/merge-patch+json";
  await done(shared.cluster.transport(), "PATCH", "/api/v1/nodes/node/status", { status }, merge);
  const kubeconfig = shared.cluster.kubeconfig().replaceAll(new URL(shared.cluster.url).host, toServer.address);
  client = kubernetesClient(await configFromText(kubeconfig));
});
afterAll(async () => {
  await client?.close();
  await toServer?.close();
  await toKubelet?.close();
  await shared?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  [began, ended] = [deferred(), deferred()];
  toServer.mend();
  toKubelet.mend();
});

/** Ends one of the three as a crash does. */
async function crash(who: string, name: string): Promise<void> {
  if (who === "client") toServer.cut();
  else if (who === "kubelet") toKubelet.cut();
  else await shared.kubelet.kill(name);
}

/** Resolves when no connection is held for a session any more, on either side of the API server. */
const released = (): Promise<void> =>
  eventually(() => expect([toServer.connections, toKubelet.connections]).toEqual([0, 0]));

/** A session whose input does not end. Resolves with the error that ends it. */
async function session(path: string, webSockets: boolean): Promise<Error | undefined> {
  const stdin: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const streams = { stdin, stdout: async () => undefined, tty: false };
  const query = "&container=c&stdin=true&stdout=true";
  try {
    await runRemoteCommand(client.rest, { path: `${PODS}/${path}${query}`, method: "POST" }, streams, { webSockets });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

describe.each([true, false])("with WebSockets: %s, when", (webSockets) => {
  describe.each(["client", "kubelet", "container"])("the %s disconnects, these end:", (who) => {
    const name = `${who}-${webSockets}`;

    test("the connections of a port-forward, and those behind them", async () => {
      const connection = await openPortForward(client.rest, `${PODS}/${name}-forwarded/portforward`, { webSockets });
      const error = await connection.open(portForwardHeaders("error", 80, 1));
      const data = await connection.open(portForwardHeaders("data", 80, 1));
      await data.write(Buffer.from("hello"));
      await began.promise;
      const received = (async () => {
        for await (const _chunk of data);
      })().catch(() => undefined);
      await crash(who, `${name}-forwarded`);
      await Promise.all([received, ended.promise]);
      error.destroy();
      // The other ports of the pod may have containers that run.
      if (who === "container") void connection.close();
      await Promise.all([connection.closed, released()]);
    });

    test("an attach", async () => {
      const running = session(`${name}-attached/attach?`, webSockets);
      await eventually(() => expect(toKubelet.connections).toBe(1));
      await crash(who, `${name}-attached`);
      const [outcome] = await Promise.all([running, released()]);
      expect(outcome === undefined).toBe(who === "container");
    });

    test("an exec with its program", async () => {
      const running = session(`${name}-entered/exec?command=waits`, webSockets);
      await began.promise;
      await crash(who, `${name}-entered`);
      const [outcome] = await Promise.all([running, ended.promise, released()]);
      expect(outcome?.message).toMatch(who === "container" ? /exit code 137$/ : /./);
    });
  });
});
