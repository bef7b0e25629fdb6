// The whole chain before a resource: a service account's token is verified, RBAC decides among 2,000 bindings, admission plugins look.
// A build before these did the same requests for everybody; with BEFORE it is measured beside.
import { join } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { Http1Connection, requestBytes } from "./http1-connection.mjs";
import { startProcess, startServer } from "./processes.mjs";
import { median } from "./statistics.mjs";

const BINDINGS = 2000;
const RBAC = "rbac.authorization.k8s.io";
const SIZE = 630;
const LISTED = 1000;
const CONNECTIONS = 64;
const CREATES = 2000;
const GET_MS = 1000;

export async function accessOfUsers({ builds, folder, rounds, report, beside, note }) {
  const client = await startProcess("load.mjs");
  const contenders = [];
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, `access-${name}`));
    note(`binding ${BINDINGS} users of ${name}`);
    contenders.push({ name, server, target: await restrictedUser(server.target) });
    const fill = { op: "fill", target: server.target, object: "configMap", size: SIZE, connections: 16 };
    await client.ask({ ...fill, namespace: "default", prefix: "listed", count: LISTED });
  }
  let call = 100;
  const samples = await inTurn(contenders, rounds, async ({ target }) => {
    const ask = async (message) => (await client.ask({ target, connections: CONNECTIONS, ...message })).result;
    const path = "/api/v1/namespaces/default/configmaps";
    const get = await ask({ op: "get", path: `${path}/listed-00042`, milliseconds: GET_MS });
    const list = await ask({ op: "list", path, times: 20 });
    const prefix = `a${call++}`;
    const create = await ask({ op: "create", namespace: "default", prefix, size: SIZE, count: CREATES });
    return { get: get.perSecond, list: median(list.took), create: create.perSecond };
  });
  const units = { get: "/s", create: "/s", list: "ms" };
  for (const [what, unit] of Object.entries(units)) {
    const title = `${what} by a token, ${BINDINGS} bindings`;
    beside(title, samples, { [what]: unit === "/s" ? "rate" : "time" });
    for (const { name } of contenders) {
      report.add({ what: title, who: name, value: median(samples.get(name).map((sample) => sample[what])), unit });
    }
  }
  for (const { server } of contenders) await server.stop();
  await client.kill();
}

/** Binds some users to a role, a service account last. Resolves with a target of that account, by its token. */
async function restrictedUser(target) {
  const connection = await Http1Connection.open(target);
  const post = (path, body) => connection.ask(requestBytes("POST", path, body));
  const metadata = (name) => ({ name });
  const roles = `/apis/${RBAC}/v1`;
  await post(`${roles}/clusterroles`, {
    metadata: metadata("bench"),
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "create"] }],
  });
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: "bench" };
  for (let index = 0; index < BINDINGS - 1; index++) {
    const subjects = [{ apiGroup: RBAC, kind: "User", name: `user-${index}` }];
    const path = index % 2 === 0 ? `${roles}/clusterrolebindings` : `${roles}/namespaces/default/rolebindings`;
    await post(path, { metadata: metadata(`bench-${index}`), roleRef, subjects });
  }
  await post("/api/v1/namespaces/default/serviceaccounts", { metadata: metadata("bench") });
  const subjects = [{ kind: "ServiceAccount", name: "bench", namespace: "default" }];
  await post(`${roles}/namespaces/default/rolebindings`, { metadata: metadata("bench"), roleRef, subjects });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 36_000 } };
  const { body } = await post("/api/v1/namespaces/default/serviceaccounts/bench/token", request);
  connection.close();
  const { port, ca } = target;
  return { port, ca, token: JSON.parse(body.toString()).status.token };
}
