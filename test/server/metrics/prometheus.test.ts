import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { realPrometheus } from "../../helpers/real-tools.js";
import { total } from "../../helpers/scraped-metrics.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const { missing } = realPrometheus();
const why = missing === undefined ? "" : ` (skipped: ${missing})`;

let cluster: Cluster;
const scrape = async (path: string, accept = "text/plain"): Promise<string> =>
  (await call(cluster.transport(), "GET", path, undefined, { accept })).text;

beforeAll(async () => {
  cluster = await startCluster({ monitoring: { countsFromStart: true } });
});
afterAll(() => cluster.close());

/** What promtool finds wrong in metrics. */
function lint(text: string): readonly string[] {
  try {
    execFileSync("promtool", ["check", "metrics"], { input: text, stdio: ["pipe", "pipe", "pipe"] });
    return [];
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: Buffer; readonly stderr: Buffer };
    return `${String(stdout)}${String(stderr)}`.trim().split("\n");
  }
}

/** Faults of names that are Kubernetes' own. */
const KUBERNETES_NAMES: readonly string[] = [
  'authenticated_user_requests counter metrics should have "_total" suffix',
  'authentication_attempts counter metrics should have "_total" suffix',
  'apiserver_admission_webhook_fail_open_count non-histogram and non-summary metrics should not have "_count" suffix',
];

test.skipIf(missing !== undefined)(
  `promtool accepts the server's metrics, except for Kubernetes' own names${why}`,
  async () => {
    await call(cluster.transport(), "POST", MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "linted" },
    });
    expect(lint(await scrape("/metrics")).filter((line) => !KUBERNETES_NAMES.includes(line))).toEqual([]);
    expect(lint(await scrape("/metrics/slis"))).toEqual([]);
  },
);

test.skipIf(missing !== undefined)(`a Prometheus scrapes the server${why}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-prometheus-"));
  const [port = 0] = await freePorts(1);
  writeFileSync(join(folder, "ca.crt"), cluster.caCertificate);
  writeFileSync(join(folder, "token"), cluster.token, { mode: 0o600 });
  const configuration = `
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
- job_name: kubets
  scheme: https
  tls_config: {ca_file: ca.crt}
  authorization: {credentials_file: token}
  static_configs: [{targets: ["${new URL(cluster.url).host}"]}]
`;
  writeFileSync(join(folder, "prometheus.yml"), configuration);
  const child = spawn(
    "prometheus",
    [
      "--config.file=prometheus.yml",
      "--storage.tsdb.path=data",
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { cwd: folder, stdio: "ignore" },
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const ask = async (query: string): Promise<readonly { readonly value: readonly [number, string] }[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    return ((await answer.json()) as { data: { result: readonly { value: readonly [number, string] }[] } }).data.result;
  };
  try {
    const missingLease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/none";
    for (let index = 0; index < 7; index++) await call(cluster.transport(), "GET", missingLease);
    const gets = 'apiserver_request_total{verb="GET",resource="leases",code="404"}';
    await eventually(async () => {
      expect((await ask("up"))[0]?.value[1]).toBe("1");
      expect((await ask(`sum(${gets})`))[0]?.value[1]).toBe("7");
    });
    const quantile = `histogram_quantile(0.99, sum by (le) (apiserver_request_duration_seconds_bucket{verb="GET"}))`;
    await eventually(async () => {
      expect(Number((await ask(quantile))[0]?.value[1])).toBeGreaterThan(0);
      expect((await ask("workqueue_adds_total")).length).toBeGreaterThan(20);
    });
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});

test("OpenMetrics and text have the same values, compressed too", async () => {
  const open = await scrape("/metrics", "application/openmetrics-text;version=1.0.0");
  expect(open.endsWith("# EOF\n")).toBe(true);
  const samples = { verb: "GET", resource: "configmaps" };
  expect(total(open, "apiserver_request_total", samples)).toBe(
    total(await scrape("/metrics"), "apiserver_request_total", samples),
  );
  const zipped = await call(cluster.transport(), "GET", "/metrics", undefined, {
    accept: "text/plain",
    headers: { "accept-encoding": "gzip" },
  });
  expect(zipped.headers["content-encoding"]).toBe("gzip");
});

test("WQ-16: a cluster shows the queues of its controllers", async () => {
  const text = await scrape("/metrics");
  expect(total(text, "workqueue_adds_total", { name: "deployment" })).toBeGreaterThanOrEqual(0);
  expect(text).toMatch(/^workqueue_depth\{name="[^"]+"\} 0$/m);
  expect(text).toMatch(/^workqueue_work_duration_seconds_bucket\{name="[^"]+",le="1e-08"\} \d+$/m);
});
