import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { controllerManager } from "../../../src/cluster/controller-manager/component.js";
import { kubeScheduler } from "../../../src/cluster/scheduler/component.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { type BareServer, beginComponent, type RunningComponent, startBareServer } from "./running-component.js";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

let server: BareServer;
let [monitor, stranger] = ["", ""];
beforeAll(async () => {
  server = await startBareServer();
  const api = server.cluster.transport();
  const tokenOf = async (name: string): Promise<string> => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await call(api, "POST", accounts, { metadata: { name } });
    const { text } = await call(api, "POST", `${accounts}/${name}/token`, { spec: {} });
    return (JSON.parse(text) as { status: { token: string } }).status.token;
  };
  [monitor, stranger] = await Promise.all([tokenOf("monitor"), tokenOf("stranger")]);
  await call(api, "POST", `${RBAC}/clusterrolebindings`, {
    metadata: { name: "monitor" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:monitoring" },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: "monitor" }],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each([
  ["kube-controller-manager", controllerManager("kubets controller-manager", "Kubernetes v1.36.3")],
  ["kube-scheduler", kubeScheduler("kubets scheduler", "Kubernetes v1.36.3")],
])("the port of %s", (_, component) => {
  let program: RunningComponent;
  let port = 0;
  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    program = beginComponent(component, [
      `--kubeconfig=${server.kubeconfig}`,
      `--authentication-kubeconfig=${server.kubeconfig}`,
      `--authorization-kubeconfig=${server.kubeconfig}`,
      `--secure-port=${port}`,
      "--leader-elect=false",
      "--logging-format=json",
      "-v=3",
    ]);
    await eventually(() => expect(program.log()).toContain("Serving securely"));
  });
  afterAll(() => program.stop());

  async function get(path: string, token?: string, user?: { user: string; groups?: string[] }): Promise<Answer> {
    const { users } = JSON.parse(server.cluster.kubeconfig(user)) as { users: { user: Record<string, string> }[] };
    const given = users[0]?.user ?? {};
    const pem = (field: string): Buffer => Buffer.from(given[`client-${field}-data`] ?? "", "base64");
    const pair = user && { certData: pem("certificate"), keyData: pem("key") };
    const transport = createTransport({
      server: `https://127.0.0.1:${port}`,
      tls: { insecureSkipVerify: true, ...pair },
    });
    try {
      return await call(transport, "GET", path, undefined, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    } finally {
      await transport.close();
    }
  }

  test("SCD-8: shows metrics only to callers whom the API server allows to read them", async () => {
    const shown = await get("/metrics", monitor);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining("rest_client_requests_total")]);
    expect((await get("/metrics/slis", monitor)).status).toBe(200);
    for (const [token, user] of [
      [stranger, "system:serviceaccount:default:stranger"],
      [undefined, "system:anonymous"],
    ] as const) {
      const { status, text } = await get("/metrics", token);
      expect(status).toBe(403);
      expect(JSON.parse(text)).toMatchObject({ message: `forbidden: User "${user}" cannot get path "/metrics"` });
    }
    const unknown = await get("/metrics", "nonsense");
    expect([unknown.status, JSON.parse(unknown.text)]).toMatchObject([401, { reason: "Unauthorized" }]);
    expect((await get("/healthz")).text).toBe("ok");
  });

  test("accepts client certificates of the API server's authority", async () => {
    expect((await get("/metrics", undefined, { user: "root", groups: ["system:masters"] })).status).toBe(200);
    expect((await get("/metrics", undefined, { user: "carol" })).text).toContain('User \\"carol\\" cannot get path');
    expect((await get("/nothing", undefined, { user: "root", groups: ["system:masters"] })).text).toBe(
      "404 page not found\n",
    );
  });

  test("logs its requests without tokens", async () => {
    await get("/healthz?token=of-a-url", monitor);
    const line = await eventually(() => {
      const found = program
        .log()
        .split("\n")
        .findLast((one) => one.includes("/healthz?token="));
      expect(found).toBeDefined();
      return JSON.parse(found ?? "") as object;
    });
    expect(line).toMatchObject({ msg: "HTTP", v: 3, verb: "GET", URI: "/healthz?token=<masked>", resp: 200 });
    expect(program.log()).not.toContain(monitor);
  });
});
