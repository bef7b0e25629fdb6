import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient, type KubeObject, loadConfig } from "../../../src/client/index.js";
import { InformerFactory } from "../../../src/client/informers/informer-factory.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";

let cluster: Cluster;
let client: KubernetesClient;
const paths: string[] = [];
const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };

beforeAll(async () => {
  cluster = await startCluster({ port: false, onRequest: ({ path }) => void paths.push(path) });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  client = kubernetesClient(config, { transport: cluster.transport() });
});

afterAll(() => cluster.close());

const named = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

/** Handlers that write down what they are called with. */
function recorder() {
  const seen: string[] = [];
  return {
    seen,
    added: (object: KubeObject, isInitial: boolean) =>
      void seen.push(`${isInitial ? "initial" : "added"} ${object.metadata?.name}`),
    updated: (before: KubeObject, after: KubeObject) =>
      void seen.push(
        `updated ${after.metadata?.name} ${JSON.stringify(before["data"])} ${JSON.stringify(after["data"])}`,
      ),
    deleted: (object: KubeObject, isFinal: boolean) => void seen.push(`deleted ${object.metadata?.name} ${isFinal}`),
  };
}

describe("a shared informer", () => {
  test("INF-6: three handlers of two informers of the same resource cost one list and one watch", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace("default");
    await configMaps.create(named("here", { a: "1" }));
    const informers = new InformerFactory(client, { namespace: "default" });
    const [one, two, late] = [recorder(), recorder(), recorder()];
    const stop = new AbortController();
    informers.resource(CONFIG_MAPS).addHandler(one);
    const registration = informers.resource(CONFIG_MAPS).addHandler(two);
    paths.length = 0;
    informers.start(stop.signal);
    informers.start(stop.signal);
    await informers.synced();
    await registration.synced;
    await configMaps.create(named("new"));
    await configMaps.patch("here", { data: { a: "2" } }, { type: "merge" });
    await configMaps.delete("new");
    const informer = informers.resource(CONFIG_MAPS);
    await eventually(async () => expect(one.seen).toHaveLength(5));
    await informer.addHandler(late).synced;
    const after = ["added new", 'updated here {"a":"1"} {"a":"2"}', "deleted new true"];
    expect(one.seen).toEqual(["initial here", "initial kube-root-ca.crt", ...after]);
    expect(two.seen).toEqual(one.seen);
    expect(late.seen.sort()).toEqual(["initial here", "initial kube-root-ca.crt"]);
    expect(paths.filter((path) => path.includes("watch="))).toHaveLength(1);
    expect(paths).toHaveLength(4);
    expect(informer.lister.namespace("default").get("here")?.["data"]).toEqual({ a: "2" });
    stop.abort();
    await informers.stopped();
  });
});
