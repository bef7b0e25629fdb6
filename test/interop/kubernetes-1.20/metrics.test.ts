import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type Answer, call, type CallOptions } from "../../helpers/api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../../helpers/kubernetes-1.20.js";
import { type Sample, samplesOf } from "../../helpers/scraped-metrics.js";

// The metrics of the same 200 requests to a kube-apiserver 1.20 and to this project's server, where both have the names.
const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`the metrics beside kube-apiserver 1.20 are skipped: ${missing}\n`);

type Call = (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<Answer>;

const CORE = "/api/v1/namespaces/default";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
/** Resources that no part of either server asks for by itself in the meantime. */
const RESOURCES: ReadonlySet<string> = new Set(["podtemplates", "replicationcontrollers", "roles", "priorityclasses"]);

const templateOf = (name: string, label = "a") => ({
  apiVersion: "v1",
  kind: "PodTemplate",
  metadata: { name, labels: { label } },
  template: { metadata: { labels: { label } }, spec: { containers: [{ name: "c", image: "i" }] } },
});

/** Sends the requests, one after the other. */
async function sendAll(send: Call): Promise<number> {
  let sent = 0;
  const one = async (...request: Parameters<Call>): Promise<void> => {
    sent += 1;
    await send(...request);
  };
  for (let index = 0; index < 25; index++) {
    const name = `t${index}`;
    await one("POST", `${CORE}/podtemplates`, templateOf(name));
    await one("GET", `${CORE}/podtemplates/${name}`);
    await one("PUT", `${CORE}/podtemplates/${name}`, templateOf(name, "b"));
    await one(
      "PATCH",
      `${CORE}/podtemplates/${name}`,
      { metadata: { labels: { label: "c" } } },
      { type: "application/merge-patch+json" },
    );
    if (index % 2 === 0) await one("DELETE", `${CORE}/podtemplates/${name}`);
  }
  for (let index = 0; index < 10; index++) {
    await one("POST", `${CORE}/podtemplates`, templateOf("t1"));
    await one("GET", `${CORE}/podtemplates/missing`);
    await one("GET", `${CORE}/podtemplates?limit=${index + 1}`);
    await one("GET", "/api/v1/podtemplates");
    await one("POST", `${CORE}/podtemplates?dryRun=All`, templateOf("dry"));
    await one("POST", `${CORE}/podtemplates`, { ...templateOf("wrong"), template: { spec: {} } });
    await one("GET", `${CORE}/replicationcontrollers/missing/status`);
  }
  for (let index = 0; index < 5; index++) {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: `r${index}` },
      rules: [],
    };
    await one("POST", `${RBAC}/namespaces/default/roles`, role);
    await one("GET", `${RBAC}/roles`);
    await one("GET", `/apis/scheduling.k8s.io/v1/priorityclasses/missing`);
  }
  await one("DELETE", `${CORE}/podtemplates?labelSelector=label%3Dc`);
  await one("GET", "/api/v1/unknown");
  return sent;
}

/** What the samples of a name rose by, for {@link RESOURCES}, by their labels. */
function risen(before: string, after: string, name: string): Readonly<Record<string, number>> {
  const keyOf = ({ labels }: Sample): string =>
    Object.entries(labels)
      // 1.20 has a label that Kubernetes has dropped.
      .filter(([label]) => label !== "le" && label !== "contentType")
      .map(([label, value]) => `${label}=${value}`)
      .sort()
      .join(" ");
  const valuesOf = (text: string): ReadonlyMap<string, number> =>
    new Map(
      samplesOf(text)
        .filter((sample) => sample.name === name && RESOURCES.has(sample.labels["resource"] ?? ""))
        .filter(({ labels }) => labels["verb"] !== "WATCH")
        .map((sample) => [keyOf(sample), sample.value]),
    );
  const old = valuesOf(before);
  return Object.fromEntries(
    [...valuesOf(after)]
      .map(([key, value]) => [key, value - (old.get(key) ?? 0)] as const)
      .filter(([, value]) => value > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

describe.skipIf(missing !== undefined)("the metrics of kubets beside kube-apiserver 1.20's", () => {
  let etcd: EtcdServer;
  let real: RealApiServer;
  let own: Cluster;
  const texts = { real: { before: "", after: "" }, own: { before: "", after: "" } };
  let sent = 0;

  beforeAll(async () => {
    etcd = await startEtcd();
    real = await startKubernetes({ etcd: etcd.endpoint });
    own = await startCluster({ controllers: [], scheduler: false, monitoring: { countsFromStart: true } });
    const calls: readonly (readonly ["real" | "own", Call])[] = [
      ["real", (...request) => real.call(...request)],
      ["own", (...request) => call(own.transport(), ...request)],
    ];
    for (const [name, send] of calls) {
      texts[name].before = (await send("GET", "/metrics", undefined, { accept: "text/plain" })).text;
      sent = await sendAll(send);
      texts[name].after = (await send("GET", "/metrics", undefined, { accept: "text/plain" })).text;
    }
  }, 90_000);

  afterAll(async () => {
    await own?.close();
    await real?.stop();
    await etcd?.dispose();
  });

  test("come from at least 200 requests", () => expect(sent).toBeGreaterThanOrEqual(200));

  test.each(["apiserver_request_total", "apiserver_request_duration_seconds_count", "apiserver_response_sizes_count"])(
    "have the same values of %s",
    (name) => {
      const expected = risen(texts.real.before, texts.real.after, name);
      expect(Object.keys(expected).length).toBeGreaterThan(5);
      expect(risen(texts.own.before, texts.own.after, name)).toEqual(expected);
    },
  );

  test("have the same bounds of their histograms", () => {
    const bounds = (text: string, name: string): readonly string[] => [
      ...new Set(
        samplesOf(text)
          .filter((sample) => sample.name === `${name}_bucket`)
          .map(({ labels }) => labels["le"] ?? ""),
      ),
    ];
    for (const name of ["apiserver_response_sizes", "apiserver_admission_step_admission_duration_seconds"]) {
      expect(bounds(texts.own.after, name).length).toBeGreaterThan(0);
      expect([name, bounds(texts.own.after, name).length >= bounds(texts.real.after, name).length]).toEqual([
        name,
        true,
      ]);
    }
  });

  test("count the same number of admission steps", () => {
    const steps = (text: string): Readonly<Record<string, number>> =>
      Object.fromEntries(
        samplesOf(text)
          .filter(({ name }) => name === "apiserver_admission_step_admission_duration_seconds_count")
          .map(({ labels, value }) => [`${labels["type"]} ${labels["operation"]} ${labels["rejected"]}`, value]),
      );
    const rise = ({ before, after }: { readonly before: string; readonly after: string }, key: string): number =>
      (steps(after)[key] ?? 0) - (steps(before)[key] ?? 0);
    for (const key of ["admit DELETE false", "validate DELETE false"]) {
      expect([key, rise(texts.own, key)]).toEqual([key, rise(texts.real, key)]);
    }
  });
});
