import { afterAll, beforeAll, expect, test } from "vitest";
import { turn } from "../../../src/base/async/turns.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { OwnFilter } from "../../../src/server/filters/own-filter.js";
import { call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";

// A flood of one user on a server of 30 seats, of which the flood's level has three. Nothing is timed: the answers are counted.
const CLIENTS = 400;
/** How many answers each of the other clients must get while the flood goes on. */
const ANSWERS = 150;
/** A request of the flood keeps its seat for so many turns of the event loop. */
const TURNS_OF_FLOOD = 20;
/** Between two answers of another client fewer requests of the flood are served than this. */
const FLOOD_BETWEEN = CLIENTS / 10;
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

const slowFlood: OwnFilter = {
  name: "slow-flood",
  after: "priority-and-fairness",
  filter: (next) => async (request) => {
    for (let left = request.user.name === "flood" ? TURNS_OF_FLOOD : 0; left > 0; left--) await turn();
    await next(request);
  },
};

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    controllers: false,
    inFlight: { readOnly: 20, mutating: 10, fairness: true },
    filters: [slowFlood],
  });
});
afterAll(() => cluster.close());

/** A client that gets its answers one after the other. */
interface Client {
  readonly name: string;
  ask(): Promise<number>;
}

const as = (user: string) => asUser(cluster.transport(), user);

const reader = (name: string, path: string): Client => ({
  name,
  ask: async () => (await as(name)("GET", path)).status,
});

/** Renews its lease, each time by the object that it was answered. */
async function leaderElection(): Promise<Client> {
  const manager = as("system:kube-controller-manager");
  const metadata = { name: "kube-controller-manager", namespace: "kube-system" };
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { holderIdentity: "one" } };
  let { text } = await manager("POST", LEASES, lease);
  return {
    name: "leader election",
    async ask() {
      const answer = await manager("PUT", `${LEASES}/${metadata.name}`, text);
      text = answer.text;
      return answer.status;
    },
  };
}

test("beside a flood that fills its level every other client is served all along, and the flood alone is refused", async () => {
  const administrator: Client = {
    name: "administrator",
    ask: async () => (await call(cluster.transport(), "GET", "/version")).status,
  };
  const others = [
    administrator,
    reader("quiet", "/version"),
    reader("system:serviceaccount:kube-system:deployment-controller", "/apis/apps/v1/deployments"),
    await leaderElection(),
  ];
  /** Who was served, in order. */
  const served: string[] = [];
  const refused: string[] = [];
  let goesOn = true;
  const repeat = async ({ name, ask }: Client, wanted: () => boolean): Promise<void> => {
    while (wanted()) {
      const status = await ask();
      if (status === 200) served.push(name);
      else refused.push(`${name} ${status}`);
    }
  };
  const flood = Array.from({ length: CLIENTS }, () => repeat(reader("flood", "/version"), () => goesOn));
  await Promise.all(
    others.map((client) => {
      let left = ANSWERS;
      return repeat(client, () => left-- > 0);
    }),
  );
  goesOn = false;
  await Promise.all(flood);
  expect([...new Set(refused)]).toEqual(["flood 429"]);
  for (const { name } of others) {
    const places = served.flatMap((one, place) => (one === name ? [place] : []));
    expect(places).toHaveLength(ANSWERS);
    for (const [index, place] of places.slice(1).entries()) {
      const between = served.slice((places[index] ?? 0) + 1, place).filter((one) => one === "flood");
      expect(between.length).toBeLessThan(FLOOD_BETWEEN);
    }
  }
});
