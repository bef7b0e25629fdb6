import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesClient, kubernetesClient } from "../../../src/client/index.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { ServerReviews } from "../../../src/node/kubelet-api/caller-reviews.js";
import type { NodeAgent } from "../../../src/node/node-agent.js";
import { kubeletCertificate, kubeletCertificates } from "../../helpers/kubelet-certificate.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { scriptedRuntime, startOutsideNode } from "../../helpers/outside-node.js";
import { Arena, bindingOf, RBAC } from "../../security/arena.js";

const KUBELET = "system:node:node-1,system:nodes";
const OUT = "nobody";

let arena: Arena;
let node: NodeAgent;
let token: string;
const faults: unknown[] = [];

/** jane may nothing; polly, stan, mel and lou have "get" on one subresource of nodes each, pru on nodes/proxy. */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "reader" } });
  for (const [user, subresource] of Object.entries({ polly: "pods", stan: "stats", mel: "metrics", lou: "log" })) {
    await arena.allow(user, `get nodes/${subresource}`);
  }
  await arena.allow("pru,system:serviceaccount:default:reader", "get nodes/proxy");
  await arena.allow("cleo", "create nodes/proxy");
  await arena.allow("ned", "get nodes/proxy another-node");
  token = await arena.token("default", "reader");
  const tls = { ...kubeletCertificate(), clientCa: arena.cluster.caCertificate };
  node = await startOutsideNode(asKubelet(arena.admin), tls, scriptedRuntime({}), (error) => faults.push(error));
});

afterAll(async () => {
  await node.stop();
  await arena[Symbol.asyncDispose]();
});

/** The rights of the node's own user, which the reviews must need no more than. */
const asKubelet = ({ send, close }: Transport): Transport => ({
  send: (request) =>
    send({
      ...request,
      headers: { ...request.headers, "impersonate-user": "system:node:node-1" },
      repeatedHeaders: { "impersonate-group": ["system:nodes"] },
    }),
  close,
});

type Identity = { readonly certificate: string; readonly key: string };

const identities = new Map<string, Identity>();

function identityOf(user: string): Identity {
  const identity = identities.get(user) ?? arena.certificateOf(user);
  identities.set(user, identity);
  return identity;
}

type Headers = Readonly<Record<string, string>>;

async function ask(who: string | Identity, method: string, path: string, headers: Headers = {}): Promise<string> {
  const identity = typeof who !== "string" ? who : who === OUT ? undefined : identityOf(who);
  const outgoing = httpsRequest({
    host: "127.0.0.1",
    port: node.port,
    method,
    path,
    headers,
    agent: false,
    rejectUnauthorized: false,
    ...(identity && { cert: identity.certificate, key: identity.key }),
  });
  outgoing.end();
  const [answer] = (await Promise.race([once(outgoing, "upgrade"), once(outgoing, "response")])) as [IncomingMessage];
  if (answer.statusCode === 101) {
    outgoing.destroy();
    return "101";
  }
  let body = "";
  for await (const chunk of answer) body += String(chunk);
  return `${answer.statusCode} ${body.startsWith("{") ? (JSON.parse(body) as { kind?: string }).kind : body}`;
}

const forbidden = (user: string, verb: string, subresources: string): string =>
  `403 Forbidden (user=${user}, verb=${verb}, resource=nodes, subresource(s)=[${subresources}])\n`;

const EXEC = "/exec/default/web/c?command=ls&output=1";

describe("authentication and authorization of the kubelet API", () => {
  test.each<readonly [who: string, request: string, answer: string]>([
    [OUT, "GET /pods", "401 Unauthorized"],
    [OUT, "GET /healthz", "401 Unauthorized"],
    [OUT, `POST ${EXEC}`, "401 Unauthorized"],
    ["root,system:masters", "GET /pods", "200 PodList"],
    ["root,system:masters", "GET /healthz", "200 ok"],
    ["root,system:masters", `POST ${EXEC}`, "404 pod does not exist"],
    ["kube-apiserver-kubelet-client,system:masters", "GET /pods", "200 PodList"],
    ["kube-apiserver-kubelet-client", "GET /pods", forbidden("kube-apiserver-kubelet-client", "get", "pods proxy")],
    ["jane", "GET /pods", forbidden("jane", "get", "pods proxy")],
    ["jane", "GET /pods/x", forbidden("jane", "get", "pods proxy")],
    ["jane", "GET /podsx", forbidden("jane", "get", "proxy")],
    ["jane", "GET /runningpods/", forbidden("jane", "get", "pods proxy")],
    ["jane", "GET /healthz", forbidden("jane", "get", "healthz proxy")],
    ["jane", "GET /healthz/ping", forbidden("jane", "get", "healthz proxy")],
    ["jane", "GET /configz", forbidden("jane", "get", "configz proxy")],
    ["jane", "GET /statusz", forbidden("jane", "get", "statusz proxy")],
    ["jane", "GET /stats/summary", forbidden("jane", "get", "stats")],
    ["jane", "GET /standIns", forbidden("jane", "get", "proxy")],
    ["jane", "GET /stats%2fsummary", forbidden("jane", "get", "stats")],
    ["jane", "GET /metrics/cadvisor", forbidden("jane", "get", "metrics")],
    ["jane", "GET /logs/", forbidden("jane", "get", "log")],
    ["jane", "POST /checkpoint/default/web/c", forbidden("jane", "create", "checkpoint")],
    ["jane", "GET /containerLogs/default/web/c", forbidden("jane", "get", "proxy")],
    ["jane", `POST ${EXEC}`, forbidden("jane", "create", "proxy")],
    ["jane", `PUT ${EXEC}`, forbidden("jane", "update", "proxy")],
    ["jane", `PATCH ${EXEC}`, forbidden("jane", "patch", "proxy")],
    ["jane", `DELETE ${EXEC}`, forbidden("jane", "delete", "proxy")],
    ["jane", `OPTIONS ${EXEC}`, forbidden("jane", "", "proxy")],
    ["jane", "GET /nope", forbidden("jane", "get", "proxy")],
    ["jane", "GET //pods", forbidden("jane", "get", "proxy")],
    ["jane", "GET /healthz/../containerLogs/default/web/c", forbidden("jane", "get", "proxy")],
    ["polly", "GET /pods", "200 PodList"],
    ["polly", "GET /healthz", forbidden("polly", "get", "healthz proxy")],
    ["polly", "GET /pods/../stats/summary", forbidden("polly", "get", "stats")],
    ["polly", "GET /pods%2f..%2fcontainerLogs", "404 404 page not found\n"],
    ["polly", "DELETE /pods", forbidden("polly", "delete", "pods proxy")],
    ["stan", "GET /stats/summary", "200 undefined"],
    ["stan", "GET /pods", forbidden("stan", "get", "pods proxy")],
    ["mel", "GET /metrics", "404 404 page not found\n"],
    ["mel", "GET /stats/summary", forbidden("mel", "get", "stats")],
    ["lou", "GET /logs/", "404 404 page not found\n"],
    ["lou", "GET /containerLogs/default/web/c", forbidden("lou", "get", "proxy")],
    ["pru", "GET /pods", "200 PodList"],
    ["pru", "GET /healthz", "200 ok"],
    ["pru", "GET /containerLogs/default/web/c", '404 pod "web" does not exist'],
    ["pru", "GET /stats/summary", forbidden("pru", "get", "stats")],
    ["pru", `POST ${EXEC}`, forbidden("pru", "create", "proxy")],
    ["cleo", `POST ${EXEC}`, "404 pod does not exist"],
    ["cleo", "GET /pods", forbidden("cleo", "get", "pods proxy")],
    ["ned", "GET /pods", forbidden("ned", "get", "pods proxy")],
    [KUBELET, "GET /pods", forbidden("system:node:node-1", "get", "pods proxy")],
    ["system:node:node-2,system:nodes", `POST ${EXEC}`, forbidden("system:node:node-2", "create", "proxy")],
    ["system:anonymous,system:unauthenticated", "GET /pods", forbidden("system:anonymous", "get", "pods proxy")],
  ])("by %s: %s answers %s", async (who, line, answer) => {
    const [method = "", path = ""] = line.split(" ");
    expect(await ask(who, method, path)).toBe(answer);
  });

  test("refuse a client certificate of another authority", async () => {
    expect(await ask(kubeletCertificates().client, "GET", "/pods")).toBe("401 Unauthorized");
  });

  test("ignore an unknown certificate beside a valid token", async () => {
    const authorization = `Bearer ${token}`;
    expect(await ask(kubeletCertificates().client, "GET", "/pods", { authorization })).toBe("200 PodList");
  });

  const SOCKET = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };

  test("ask the API server to review a bearer token", async () => {
    const withToken = (text: string, method = "GET", path = "/pods"): Promise<string> =>
      ask(OUT, method, path, { authorization: text });
    expect(await withToken(`Bearer ${token}`)).toBe("200 PodList");
    expect(await withToken(`bearer ${token}`)).toBe("200 PodList");
    expect(await withToken(`Bearer ${token}`, "POST", EXEC)).toBe(
      forbidden("system:serviceaccount:default:reader", "create", "proxy"),
    );
    const elsewhere = await arena.token("default", "reader", { audiences: ["another"] });
    for (const wrong of [`Bearer ${elsewhere}`, "Bearer nonsense", "Bearer ", `Basic ${token}`, token]) {
      expect(await withToken(wrong), wrong).toBe("401 Unauthorized");
    }
  });

  test("accept a token as WebSocket subprotocol, and authorize the upgrade like any request", async () => {
    const encoded = (text: string): string =>
      `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString("base64url")}`;
    const offering = (...names: readonly string[]) => ({ ...SOCKET, "sec-websocket-protocol": names.join(", ") });
    expect(await ask(OUT, "GET", EXEC, offering(encoded(token), "v4.channel.k8s.io"))).toBe("404 pod does not exist");
    expect(await ask(OUT, "GET", EXEC, offering(encoded("nonsense"), "v4.channel.k8s.io"))).toBe("401 Unauthorized");
    expect(await ask(OUT, "GET", EXEC, offering("v4.channel.k8s.io"))).toBe("401 Unauthorized");
    expect(await ask("jane", "GET", EXEC, offering("v4.channel.k8s.io"))).toBe(forbidden("jane", "get", "proxy"));
    expect(await ask("jane", "POST", EXEC, { connection: "Upgrade", upgrade: "SPDY/3.1" })).toBe(
      forbidden("jane", "create", "proxy"),
    );
  });

  test("caused no error in the node's agent in these tests", () => {
    expect(faults).toEqual([]);
  });
});

describe("the kubelet API caches reviews of the API server", () => {
  const caller = { name: "kept", groups: ["system:authenticated"], extra: { place: ["here"] } };
  const access = { verb: "get", node: "node-1", subresource: "proxy" };
  let client: KubernetesClient;
  let asked: string[];
  let fails: boolean;

  beforeAll(() => {
    const counting: Transport = {
      send: (request) => {
        asked.push(request.path.split("/").at(-1) ?? "");
        return fails ? Promise.reject(new Error("away")) : arena.admin.send(request);
      },
      close: () => arena.admin.close(),
    };
    client = kubernetesClient({ transport: () => counting });
  });

  afterAll(() => client.close());

  function reviews(): { readonly time: ManualTime; readonly reviews: ServerReviews } {
    [asked, fails] = [[], false];
    const time = new ManualTime();
    return { time, reviews: new ServerReviews(client, time) };
  }

  test("for five minutes when allowed and thirty seconds when refused, as kubelets do", async () => {
    const { time, reviews: kept } = reviews();
    expect(await kept.allows(caller, access)).toBe(false);
    const bindings = `${RBAC}/clusterrolebindings`;
    await arena.create(bindings, bindingOf("kept", "ClusterRole/system:kubelet-api-admin", "kept"));
    time.pass(29_000);
    expect(await kept.allows(caller, access)).toBe(false);
    time.pass(2000);
    expect(await kept.allows(caller, access)).toBe(true);
    await arena.make("DELETE", `${bindings}/kept`);
    time.pass(299_000);
    expect(await kept.allows(caller, access)).toBe(true);
    expect(asked).toEqual(["subjectaccessreviews", "subjectaccessreviews"]);
    time.pass(2000);
    expect(await kept.allows(caller, access)).toBe(false);
    expect(await kept.allows({ ...caller, groups: ["system:masters"] }, access)).toBe(true);
    expect(await kept.allows(caller, { ...access, node: "node-2" })).toBe(false);
    expect(asked).toHaveLength(5);
  });

  test("for two minutes for a token's user, and for an unknown token", async () => {
    const { time, reviews: kept } = reviews();
    for (const one of [token, "nonsense"]) {
      for (let index = 0; index < 2; index++) {
        expect((await kept.callerOf(one))?.name).toBe(
          one === token ? "system:serviceaccount:default:reader" : undefined,
        );
      }
    }
    expect(asked).toHaveLength(2);
    time.pass(121_000);
    await kept.callerOf(token);
    expect(asked).toHaveLength(3);
  });

  test("but not when the review failed", async () => {
    const { reviews: kept } = reviews();
    fails = true;
    await expect(kept.allows(caller, access)).rejects.toThrow("away");
    await expect(kept.callerOf(token)).rejects.toThrow("away");
    fails = false;
    expect(await kept.allows(caller, access)).toBe(false);
    expect((await kept.callerOf(token))?.groups).toContain("system:serviceaccounts");
  });
});
