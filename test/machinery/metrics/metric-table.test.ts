import { describe, expect, test } from "vitest";
import { atOnce } from "../../../src/base/async/steps.js";
import { exponentialBuckets, type FamilyDefinition } from "../../../src/machinery/metrics/family.js";
import { type MetricChoice, MetricTable } from "../../../src/machinery/metrics/metric-table.js";
import { expositionFor } from "../../../src/machinery/metrics/exposition.js";
import { samplesWith } from "../../helpers/scraped-metrics.js";

const OPEN = "application/openmetrics-text;version=1.0.0";

async function textOf(table: MetricTable, accept?: string): Promise<string> {
  return atOnce(expositionFor(accept).write(await table.read()));
}

/** The lines of the metrics that are not about metrics. */
async function ownLines(table: MetricTable, accept?: string): Promise<readonly string[]> {
  const text = await textOf(table, accept);
  const about = /registered_metrics|hidden_metrics|disabled_metrics|cardinality_enforcement/;
  return text.split("\n").filter((line) => line !== "" && !about.test(line));
}

const COUNTER: FamilyDefinition = { name: "calls_total", type: "counter", help: "Calls.", labels: ["verb", "code"] };

describe("metrics in Prometheus' text format", () => {
  test("have help with Kubernetes' prefixes, labels by name, and series in the order of their labels", async () => {
    const table = new MetricTable();
    const calls = table.family({ ...COUNTER, stability: "STABLE" });
    calls.add(calls.series("LIST", "200"), 2);
    calls.add(calls.series("GET", "404"));
    calls.add(calls.series("GET", "200"), 1e6);
    expect(await ownLines(table)).toEqual([
      "# HELP calls_total [STABLE] Calls.",
      "# TYPE calls_total counter",
      'calls_total{code="200",verb="GET"} 1e+06',
      'calls_total{code="200",verb="LIST"} 2',
      'calls_total{code="404",verb="GET"} 1',
    ]);
  });

  test("have special characters of labels and helps escaped", async () => {
    const table = new MetricTable();
    const odd = table.family({ name: "odd", type: "gauge", help: 'A \\ and\n a "quote".', labels: ["a"] });
    odd.set(odd.series('x"\\\ny'), Number.POSITIVE_INFINITY);
    expect(await ownLines(table)).toEqual([
      '# HELP odd A \\\\ and\\n a "quote".',
      "# TYPE odd gauge",
      'odd{a="x\\"\\\\\\ny"} +Inf',
    ]);
  });

  test("have cumulative buckets, the sum and the count of a histogram", async () => {
    const table = new MetricTable();
    const times = table.family({ name: "times", type: "histogram", help: "Times.", buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 7]) times.observe(times.series(), value);
    expect(await ownLines(table)).toEqual([
      "# HELP times Times.",
      "# TYPE times histogram",
      'times_bucket{le="0.1"} 2',
      'times_bucket{le="1"} 3',
      'times_bucket{le="+Inf"} 4',
      "times_sum 7.65",
      "times_count 4",
    ]);
  });

  test("leave out a metric without values", async () => {
    const table = new MetricTable();
    table.family(COUNTER);
    expect(await ownLines(table)).toEqual([]);
  });
});

test("metrics in OpenMetrics' format name counters without _total, show floats as such, and end with EOF", async () => {
  const table = new MetricTable();
  const calls = table.family({ name: "calls_total", type: "counter", help: 'A "call".' });
  calls.add(calls.series());
  const attempts = table.family({ name: "attempts", type: "counter", help: "Attempts." });
  attempts.add(attempts.series());
  expect(await ownLines(table, OPEN)).toEqual([
    "# HELP attempts Attempts.",
    "# TYPE attempts unknown",
    "attempts 1.0",
    '# HELP calls A \\"call\\".',
    "# TYPE calls counter",
    "calls_total 1.0",
    "# EOF",
  ]);
});

test.each([
  [undefined, "text/plain; version=0.0.4; charset=utf-8"],
  ["", "text/plain; version=0.0.4; charset=utf-8"],
  ["*/*", "text/plain; version=0.0.4; charset=utf-8"],
  ["application/json", "text/plain; version=0.0.4; charset=utf-8"],
  ["application/openmetrics-text; version=2.0.0", "text/plain; version=0.0.4; charset=utf-8"],
  ["text/plain;version=0.0.4;q=0.5,application/openmetrics-text;q=0.2", "text/plain; version=0.0.4; charset=utf-8"],
  [
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  ],
])("Accept %j is answered with metrics as %s", (accept, contentType) => {
  expect(expositionFor(accept).contentType).toBe(contentType);
});

describe("a table of metrics", () => {
  const deprecated = (version: string, stability: NonNullable<FamilyDefinition["stability"]>): FamilyDefinition => ({
    ...COUNTER,
    stability,
    deprecated: version,
  });
  const shown = async (choice: MetricChoice, definition: FamilyDefinition): Promise<string> => {
    const table = new MetricTable(choice);
    const family = table.family(definition);
    family.add(family.series("GET", "200"));
    return (await ownLines(table))[0] ?? "";
  };

  test.each([
    ["1.36.0", "ALPHA", ""],
    ["1.27.0", "ALPHA", ""],
    ["1.36.0", "BETA", "# HELP calls_total [BETA] (Deprecated since 1.36.0) Calls."],
    ["1.35.0", "BETA", ""],
    ["1.34.0", "STABLE", "# HELP calls_total [STABLE] (Deprecated since 1.34.0) Calls."],
    ["1.33.0", "STABLE", ""],
  ] as const)(
    "in 1.36 has for a metric deprecated since %s with stability %s the help %j",
    async (version, stability, line) => {
      expect(await shown({}, deprecated(version, stability))).toBe(line);
      expect(await shown({ showsHidden: true }, deprecated(version, stability))).not.toBe("");
    },
  );

  test("neither shows nor records a disabled metric", async () => {
    const table = new MetricTable({ disabled: ["calls_total"] });
    const calls = table.family(COUNTER);
    for (let code = 0; code < 100; code++) calls.add(calls.series("GET", String(code)));
    expect(await ownLines(table)).toEqual([]);
    expect(calls.size).toBe(1);
    expect(samplesWith(await textOf(table), "disabled_metrics_total")[0]?.value).toBe(1);
  });

  test("replaces a label value that is not allowed by unexpected, and counts that", async () => {
    const table = new MetricTable({ allowedLabels: { "calls_total,verb": ["GET"] } });
    const calls = table.family(COUNTER);
    for (const verb of ["GET", "BREW", "MAKE", "BREW"]) calls.add(calls.series(verb, "200"));
    const text = await textOf(table);
    expect(samplesWith(text, "calls_total")).toEqual([
      { name: "calls_total", labels: { code: "200", verb: "GET" }, value: 1 },
      { name: "calls_total", labels: { code: "200", verb: "unexpected" }, value: 3 },
    ]);
    expect(samplesWith(text, "cardinality_enforcement_unexpected_categorizations_total")[0]?.value).toBe(3);
  });

  test("keeps ten thousand combinations of labels, and merges all others", () => {
    const table = new MetricTable();
    const calls = table.family(COUNTER);
    for (let code = 0; code < 12_000; code++) calls.add(calls.series("GET", String(code)));
    expect(calls.size).toBe(10_001);
    expect(calls.numbersOf(calls.series("GET", "11999"))[0]).toBe(2000);
  });
});

test("forgets its values at a reset, and tells those that hold series", async () => {
  const table = new MetricTable();
  const calls = table.family(COUNTER);
  let told = 0;
  table.onReset(() => (told += 1));
  calls.add(calls.series("GET", "200"), 5);
  table.reset();
  calls.add(calls.series("GET", "500"));
  expect(await ownLines(table)).toContain('calls_total{code="500",verb="GET"} 1');
  expect(await ownLines(table)).toHaveLength(3);
  expect(told).toBe(1);
});

test("a metrics registry's methods take values for the declared label names", async () => {
  const table = new MetricTable();
  table.counter({ name: "a_total", help: "A.", labelNames: ["x"] }).add(2, { x: "1" });
  table.gauge({ name: "b", help: "B.", labelNames: [] }).set(-1, {});
  table.histogram({ name: "c", help: "C.", labelNames: ["y"], buckets: [1] }).observe(3, { y: "z" });
  const lines = (await ownLines(table)).filter((line) => !line.startsWith("#"));
  expect(lines).toEqual([
    'a_total{x="1"} 2',
    "b -1",
    'c_bucket{y="z",le="1"} 0',
    'c_bucket{y="z",le="+Inf"} 1',
    'c_sum{y="z"} 3',
    'c_count{y="z"} 1',
  ]);
});

test("exponential buckets of histograms are those of Go's library", () => {
  expect(exponentialBuckets(1e-8, 10, 10)).toEqual([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10]);
  expect(exponentialBuckets(0.001, 2, 5)).toEqual([0.001, 0.002, 0.004, 0.008, 0.016]);
});
