// Requests of many service accounts, each by its own token: for the first time, when a signature is checked, and again while the server
// knows that it was right. A token is forgotten after 10 seconds, so each round's first requests come with new tokens. What one core makes
// of the tokens without HTTP is in bench/tokens.mjs.
import { join } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { Http1Connection, requestBytes } from "./http1-connection.mjs";
import { startProcess, startServer } from "./processes.mjs";
import { median } from "./statistics.mjs";

const ACCOUNTS = 2000;
const CONNECTIONS = 32;
const AGAIN = 3;
const MUST = 10_000;
const PATH = "/version";
const NAMESPACE = "/api/v1/namespaces/default/serviceaccounts";

export async function tokensOfAccounts({ builds, folder, rounds: count, report, beside, note }) {
  const client = await startProcess("load.mjs");
  const contenders = [];
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, `tokens-${name}`));
    note(`making ${ACCOUNTS} service accounts of ${name}`);
    await forEachAccount(server.target, (account) => ["POST", NAMESPACE, { metadata: { name: account } }]);
    const { port, ca } = server.target;
    contenders.push({ name, server, target: { port, ca } });
  }
  const samples = await inTurn(contenders, count, async ({ server, target }) => {
    const tokens = await newTokens(server.target);
    const ask = async (times) => {
      const before = await server.usage();
      const message = { op: "getByTokens", target, path: PATH, tokens, connections: CONNECTIONS, times };
      const { perSecond } = (await client.ask(message)).result;
      return { perSecond, cpu: ((await server.usage()).cpu - before.cpu) / (ACCOUNTS * times) };
    };
    return { first: await ask(1), again: await ask(AGAIN) };
  });
  for (const [use, must] of Object.entries({ first: undefined, again: { atLeast: MUST } })) {
    const what = `GET ${PATH} by ${ACCOUNTS} tokens, ${use === "first" ? "first use" : "again"}`;
    const own = new Map([...samples].map(([name, rounds]) => [name, rounds.map((round) => round[use])]));
    beside(what, own, { perSecond: "rate" });
    for (const { name } of contenders) {
      const of = (figure) => median(own.get(name).map((sample) => sample[figure]));
      const more = `${of("cpu").toFixed(0)} us CPU each`;
      report.add({ what, who: name, value: of("perSecond"), unit: "/s", must, more });
    }
  }
  for (const { server } of contenders) await server.stop();
  await client.kill();
}

async function newTokens(target) {
  const spec = { expirationSeconds: 36_000 };
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const answers = await forEachAccount(target, (account) => ["POST", `${NAMESPACE}/${account}/token`, review]);
  return answers.map(({ body }) => JSON.parse(body.toString()).status.token);
}

/** One request for each account, on a few connections. */
async function forEachAccount(target, requestOf) {
  const connections = await Promise.all(Array.from({ length: 8 }, () => Http1Connection.open(target)));
  const answers = [];
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < ACCOUNTS) answers.push(await connection.ask(requestBytes(...requestOf(`account-${next++}`))));
      connection.close();
    }),
  );
  return answers;
}
