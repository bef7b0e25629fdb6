import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { optionFaults } from "../../../src/cluster/apiserver/option-faults.js";
import { readApiServerOptions } from "../../../src/cluster/apiserver/options.js";
import { startServer } from "../../../src/cluster/server.js";
import { apiserverSections } from "../../../src/component/apiserver-flags/sections.js";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";
import { call } from "../../helpers/api-caller.js";
import { samplesWith } from "../../helpers/scraped-metrics.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-metrics-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flagsOf = (...args: readonly string[]) =>
  parseFlags(new FlagTable(apiserverSections.flatMap(({ flags }) => flags)), args).flags;
const faults = (...args: readonly string[]): readonly string[] =>
  optionFaults(flagsOf(...args), "/").filter((fault) => fault.startsWith("metrics"));

describe("the flags of kubets apiserver for metrics", () => {
  test("become options of the server", () => {
    const { server } = readApiServerOptions(
      flagsOf(
        "--allow-metric-labels=apiserver_request_total,verb=GET,LIST",
        "--disabled-metrics=etcd_requests_total",
        "--show-hidden-metrics-for-version=1.36",
        "--etcd-count-metric-poll-period=0",
        "--profiling=false",
        "--logs-folder=logs",
      ),
      "/var",
    );
    expect(server.monitoring).toEqual({
      allowedLabels: { "apiserver_request_total,verb": ["GET", "LIST"] },
      disabledMetrics: ["etcd_requests_total"],
      showHiddenMetricsForVersion: "1.36",
      countPeriod: 0,
      profiling: false,
      logsFolder: "/var/logs",
    });
  });

  test.each([
    [
      "--show-hidden-metrics-for-version=1.30",
      `metrics.showHiddenMetricsForVersion: Invalid value: "1.30": must be omitted or have the value '1.36'; only the previous minor version is allowed`,
    ],
    [
      "--disabled-metrics=good,not good",
      'metrics.disabledMetrics: Invalid value: ["good","not good"]: must be fully qualified metric names matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got "not good"',
    ],
    [
      "--allow-metric-labels=nolabel=a",
      'metrics.allowListMapping: Invalid value: {"nolabel":"a"}: must have keys with format `metricName,labelName` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"',
    ],
  ])("%s is refused in kube-apiserver's words", (flag, fault) => {
    expect(faults(flag)).toEqual([fault]);
  });

  test("are refused when labels are limited both by a flag and in a file", () => {
    const [fault = ""] = faults("--allow-metric-labels=a,b=c", "--allow-metric-labels-manifest=labels.yaml");
    expect(fault).toContain("cannot specify both allowListMapping and allowListMappingManifest");
  });
});

describe("the file of --allow-metric-labels-manifest", () => {
  const manifest = (text: string): string => {
    const path = join(folder, "labels.yaml");
    writeFileSync(path, text);
    return path;
  };

  test("limits the values of metric labels that are counted", async () => {
    const allowedLabelsFile = manifest('"apiserver_request_total,verb": "GET"\n');
    await using server = await startServer({ port: false, monitoring: { allowedLabelsFile, countsFromStart: true } });
    const get = async (path: string) =>
      (await call(server.transport(), "GET", path, undefined, { accept: "text/plain" })).text;
    await get("/livez");
    const text = await get("/metrics");
    expect(samplesWith(text, "apiserver_request_total").map(({ labels }) => labels["verb"])).toEqual(["GET"]);
  });

  test.each([
    ["- a\n", "failed to parse allow list manifest: it is no map of strings"],
    ['"a,b": [c]\n', "failed to parse allow list manifest: it is no map of strings"],
    ['"ab": c\n', "invalid allow list mapping in manifest"],
    ["{", "failed to read allow list manifest"],
  ])("stops the start when it contains %j, and the error names it", async (text, fault) => {
    const allowedLabelsFile = manifest(text);
    const starting = startServer({ port: false, monitoring: { allowedLabelsFile } });
    await expect(starting).rejects.toThrow(fault);
    await expect(startServer({ port: false, monitoring: { allowedLabelsFile } })).rejects.toThrow(allowedLabelsFile);
  });
});
