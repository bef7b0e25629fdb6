import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { parseForward, parseRange } from "../../../src/base/forward.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";

const DEFAULT = "/api/v1/namespaces/default";

describe("parsing a forward from a port of pods to this machine", () => {
  test.each([
    ["deploy/web:80=127.0.0.1:3000", { pods: "deploy/web", port: 80, to: "127.0.0.1:3000" }],
    ["shop/sts/db:5432=[::1]:5432", { namespace: "shop", pods: "sts/db", port: 5432, to: "[::1]:5432" }],
    ["pod/a.b:1=localhost:2", { pods: "pod/a.b", port: 1, to: "localhost:2" }],
  ])("of %s", (text, forward) => expect(parseForward(text)).toEqual(forward));

  test.each([
    ["web:80=127.0.0.1:3000", '"web:80=127.0.0.1:3000" is not a forward: use [NAMESPACE/]KIND/NAME:PORT=HOST:PORT'],
    ["deploy/web=127.0.0.1:3000", "is not a forward"],
    ["service/web:80=127.0.0.1:3000", '"service/web" names no pods: use pod, deployment,'],
    ["constructor/web:80=127.0.0.1:3000", "names no pods"],
    ["deploy/web:0=127.0.0.1:3000", "port 0 of the forward of deploy/web is not between 1 and 65535"],
    ["deploy/web:80=3000", '"3000" is not an address: use HOST:PORT'],
    ["deploy/web:80=127.0.0.1:3000-3001", '"127.0.0.1:3000-3001" is not an address: use HOST:PORT'],
    ["deploy/web:80=127.0.0.1:70000", '"127.0.0.1:70000" is not an address'],
  ])("of %s is refused: %s", (text, message) => expect(() => parseForward(text)).toThrow(message));

  test("accepts as allowed address one port, or several in order", () => {
    expect(parseRange("127.0.0.1:3000-3999")).toEqual({ host: "127.0.0.1", first: 3000, last: 3999 });
    expect(() => parseRange("127.0.0.1:3999-3000")).toThrow("is not an address");
  });
});

describe("a port of pods that is forwarded to this machine", () => {
  let server: Server;
  let cluster: Cluster;
  let api: Transport;
  let here: string;
  let closed: string;

  beforeAll(async () => {
    server = createServer((request, response) => void response.end(`here: ${request.url}\n`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    here = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    closed = `127.0.0.1:${(await freePorts(1))[0]}`;
    cluster = await startCluster({
      port: false,
      nodes: 1,
      forward: [
        { pods: "deploy/web", port: 80, to: here },
        { pods: "pod/closed", port: 80, to: closed },
      ],
      allowForward: [here],
    });
    api = cluster.transport();
    await eventually(async () =>
      expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200),
    );
  });
  afterAll(async () => {
    await cluster.close();
    server.close();
  });

  const create = async (path: string, body: object): Promise<void> => {
    const { status, text } = await call(api, "POST", path, body);
    expect(status, text).toBe(201);
  };
  const container = { name: "c", image: "example.com/web", ports: [{ containerPort: 80 }] };
  const pod = (name: string, more: object = {}, annotations: object = {}): Promise<void> =>
    create(`${DEFAULT}/pods`, { metadata: { name, annotations }, spec: { containers: [{ ...container, ...more }] } });
  const running = (name: string) =>
    eventually(async () =>
      expect((await call(api, "GET", `${DEFAULT}/pods/${name}`)).at("status.phase")).toBe("Running"),
    );
  const proxied = async (name: string) => (await call(api, "GET", `${DEFAULT}/pods/${name}/proxy/x`)).text;
  const started = async (name: string) => {
    const selector = encodeURIComponent(`involvedObject.name=${name},reason=Started`);
    return eventually(async () => {
      const message = (await call(api, "GET", `${DEFAULT}/events?fieldSelector=${selector}`)).at("items.0.message");
      expect(message).toBeDefined();
      return message;
    });
  };

  test("is reached by the Deployment's Service, by the proxy and by scripts", async () => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    await create("/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "web" },
      spec: { selector: { matchLabels: labels }, template },
    });
    await create(`${DEFAULT}/services`, {
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ port: 8080, targetPort: 80 }] },
    });
    await eventually(async () => {
      expect((await call(api, "GET", `${DEFAULT}/services/web:8080/proxy/x`)).text).toBe("here: /x\n");
    });
    await pod("script", { image: "busybox", command: ["sh", "-c", "curl -s http://web:8080/y; sleep 1000"] });
    await eventually(async () =>
      expect((await call(api, "GET", `${DEFAULT}/pods/script/log`)).text).toBe("here: /y\n"),
    );
  });

  test("decides about probes: the pod is not ready while nothing listens there", async () => {
    await pod("closed", { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } });
    const selector = encodeURIComponent("involvedObject.name=closed,reason=Unhealthy");
    await eventually(async () => {
      expect((await call(api, "GET", `${DEFAULT}/events?fieldSelector=${selector}`)).at("items.0.message")).toContain(
        "connection refused",
      );
    });
    expect((await call(api, "GET", `${DEFAULT}/pods/closed`)).at("status.containerStatuses.0.ready")).toBe(false);
    expect(await proxied("closed")).toContain(
      `port 80 of pod default/closed leads to ${closed} of this machine: connection refused`,
    );
  });

  test("is named in the event of the container's start", async () => {
    expect(await started("closed")).toMatch(
      new RegExp(`would have run: its entrypoint. Port 80 leads to ${closed} of this machine$`),
    );
  });

  test("may be requested by a pod when the server allows the address", async () => {
    await pod("annotated", {}, { "kubets.dev/forward": `80=${here}` });
    await running("annotated");
    expect(await proxied("annotated")).toBe("here: /x\n");
  });

  test.each([
    ["not-allowed", () => `80=${closed}`, () => `the server was started without --allow-forward=${closed}`],
    [
      "by-name",
      () => `80=localhost:${here.split(":")[1]}`,
      () => `the server was started without --allow-forward=localhost:${here.split(":")[1]}`,
    ],
    ["no-address", () => "80", () => '"80" is not PORT=HOST:PORT'],
  ])("is otherwise refused to a pod, with the reason in an event: %s", async (name, annotation, reason) => {
    await pod(name, {}, { "kubets.dev/forward": annotation() });
    await running(name);
    expect(await proxied(name)).toContain("stands in for image");
    expect(await started(name)).toContain(`Annotation kubets.dev/forward does not count: ${reason()}`);
  });
});

test("a cluster does not start with an invalid forward", async () => {
  const forward = [{ pods: "service/web", port: 80, to: "127.0.0.1:1" }];
  await expect(startCluster({ port: false, nodes: 1, forward })).rejects.toThrow('"service/web" names no pods');
});
