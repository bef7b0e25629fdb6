import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type Deferred, deferred } from "../../src/base/async/deferred.js";
import { turn } from "../../src/base/async/turns.js";
import type { Filter } from "../../src/cluster/server.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import {
  halfRecord,
  type Line,
  type LinePeer,
  type Origin,
  silentAnswer,
  silentStream,
  stalledProxy,
  tarpit,
} from "./lines.js";
import { describeBesideKubectl, type Outcome, sideBySide } from "./side-by-side.js";

let cluster: Cluster;
let origin: Origin;

const POD = {
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "c", image: "busybox", command: ["sh", "-c", "echo started; sleep 100000"] }],
  },
};
/** No node will have it. */
const STUCK = {
  replicas: 1,
  selector: { matchLabels: { a: "b" } },
  template: {
    metadata: { labels: { a: "b" } },
    spec: { nodeSelector: { no: "such" }, containers: [{ name: "c", image: "busybox" }] },
  },
};

/** Who waits for the head of a stream's answer, by the port by which the server is known. */
const streams = new Map<number, Deferred<void>>();
const STREAM = /[?&](?:watch|follow)=(?:true|1)\b/;

const tellsOfStreams: Filter = (next) => async (request) => {
  const handled = next(request);
  const { exchange } = request;
  const waiting = STREAM.test(exchange.uri)
    ? streams.get(Number((exchange.authority ?? exchange.headers["host"])?.split(":")[1]))
    : undefined;
  if (waiting === undefined) return handled;
  while (!exchange.responded && exchange.left !== true) await turn();
  waiting.resolve();
  return handled;
};

beforeAll(async () => {
  cluster = await startCluster({
    nodes: 1,
    filters: [{ name: "tells of streams", filter: tellsOfStreams, before: "availability" }],
  });
  const api = cluster.transport();
  const pods = "/api/v1/namespaces/default/pods";
  const create = async (path: string, body: object): Promise<void> => {
    const { status, text } = await call(api, "POST", path, body);
    expect(status, text).toBe(201);
  };
  await eventually(async () => {
    const account = await call(api, "GET", "/api/v1/namespaces/default/serviceaccounts/default");
    expect(account.status).toBe(200);
  });
  await create(pods, { metadata: { name: "web" }, ...POD });
  await create(pods, { metadata: { name: "held", finalizers: ["example.com/held"] }, ...POD });
  await create("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "stuck" }, spec: STUCK });
  await eventually(async () => {
    for (const name of ["web", "held"]) {
      const pod = await call(api, "GET", `${pods}/${name}`);
      expect(pod.at("status.containerStatuses.0.ready")).toBe(true);
    }
  });
  origin = {
    port: Number(new URL(cluster.url).port),
    kubeconfig: (port) => cluster.kubeconfig().replaceAll(cluster.url, `https://127.0.0.1:${port}`),
    streamAnswered: (port) => {
      const answered = deferred<void>();
      streams.set(port, answered);
      return answered.promise;
    },
  };
});

afterAll(() => cluster.close());

/** client-go's own variables, so that nobody waits for 45 s. */
const SOON = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "2", HTTP2_PING_TIMEOUT_SECONDS: "2" };
const CM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n";

/** How both end. The real kubectl must end by itself, so that the line is known to have died. */
async function ends(line: string, peer: Line, env: Readonly<Record<string, string>>, patience: number) {
  const { real, ours } = await sideBySide(`exec ${line}`, { peer, env, files: { "cm.yaml": CM }, patience });
  const seen = ({ code, signal, stdout, stderr }: Outcome) => ({
    code,
    signal,
    stdout,
    // Whether the end comes in the middle of an attempt is chance.
    stderr: stderr.replaceAll(/^E.*"Failed to watch".*\n/gm, ""),
  });
  expect(real.signal, line).toBeNull();
  return { line, real: seen(real), ours: seen(ours) };
}

/** Runs all lines at once, each over a line of its own, and compares how both programs end. */
async function compare(
  lines: readonly string[],
  peer: () => Line,
  env: Readonly<Record<string, string>> = SOON,
  patience = 180_000,
): Promise<void> {
  const rows = await Promise.all(lines.map((line) => ends(line, peer(), env, patience)));
  expect(rows.map(({ line, ours }) => ({ line, ...ours }))).toEqual(rows.map(({ line, real }) => ({ line, ...real })));
}

describeBesideKubectl("a network connection that dies without a sign ends, for kubets as for kubectl,", () => {
  test.concurrent("a watch", () =>
    compare(
      [
        "kubectl get pods web -w -o name",
        "kubectl get pods web -w -o wide --watch-only",
        "kubectl get pods web -w -o json --watch-only",
        "kubectl get pods web -w -o jsonpath='{.kind} {.message}' --watch-only",
        "kubectl get pods web -w --output-watch-events --watch-only",
        "kubectl get --raw '/api/v1/pods?watch=true&resourceVersion=1&fieldSelector=metadata.name%3Dweb'",
        "kubectl events -w -o name --for=pod/web",
      ],
      () => silentStream(origin),
    ));

  test.concurrent("a wait", () =>
    compare(
      [
        "kubectl wait --for=delete pod/web --timeout=30s",
        "kubectl delete pod held --timeout=30s",
        "kubectl logs -f web",
      ],
      () => silentStream(origin),
    ));

  test.concurrent("a request that is not answered", () =>
    compare(
      [
        "kubectl version",
        "kubectl get pods",
        "kubectl get --raw /api/v1/pods",
        "kubectl create -f cm.yaml --validate=false",
        "kubectl delete pod held",
        "kubectl top pods",
        "kubectl logs web",
      ],
      () => silentAnswer,
    ));
});

const UNMADE: readonly (readonly [string, Line])[] = [
  ["a server that accepts and says nothing", tarpit],
  ["half a record of TLS", halfRecord],
  ["an HTTPS proxy that says nothing", stalledProxy("https")],
];

describeBesideKubectl("kubets reads client-go's environment variables for HTTP/2", () => {
  const whole: Line = async () => ({
    kubeconfig: cluster.kubeconfig(),
    address: new URL(cluster.url).host,
    requests: [],
    close: () => Promise.resolve(),
  });

  test.concurrent.each([
    { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "soon" },
    { HTTP2_PING_TIMEOUT_SECONDS: "1_0", HTTP2_READ_IDLE_TIMEOUT_SECONDS: "99999999999999999999" },
    { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "-1" },
    { DISABLE_HTTP2: "yes" },
  ])("as kubectl does, with warnings for wrong values: %j", (env) =>
    compare(["kubectl get namespaces -o name", "kubectl get namespaces default -o name"], () => whole, env),
  );
});

describeBesideKubectl("while kubets opens a connection", () => {
  test.concurrent.each(UNMADE)("it gives up on %s after the time that Go waits", (_, line) =>
    compare(
      ["kubectl version", "kubectl get --raw /version", "kubectl create -f cm.yaml --validate=false"],
      () => line,
      {},
    ),
  );

  test.concurrent.each(["SIGINT", "SIGTERM"] as const)("%s ends the command at once", async (signal) => {
    const lines = [
      "kubectl get pods web -w",
      "kubectl logs -f web",
      "kubectl exec web -- true",
      "kubectl attach web",
      "kubectl port-forward pod/web :80",
      "kubectl wait --for=delete pod/web",
      "kubectl rollout status deploy/stuck",
      "kubectl run r --rm -i --image=busybox -- true",
      "kubectl events -w",
    ];
    for (const line of lines) {
      const { real, ours } = await sideBySide(`exec ${line}`, {
        peer: tarpit,
        meanwhile: async ({ child, peer }) => {
          await (peer as LinePeer).spokenTo;
          child.kill(signal);
        },
      });
      expect({ line, ...ours }).toEqual({ line, ...real });
    }
  });
});
