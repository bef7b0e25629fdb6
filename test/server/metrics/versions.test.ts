import { describe, expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { total } from "../../helpers/scraped-metrics.js";

/** The metrics of a cluster of this version, after a list from the storage, one from the watch cache and a watch. */
async function metricsOf(kubernetesVersion: string, showHiddenMetricsForVersion?: string): Promise<string> {
  const hidden = showHiddenMetricsForVersion === undefined ? {} : { showHiddenMetricsForVersion };
  const cluster = await startCluster({
    port: false,
    controllers: false,
    scheduler: false,
    kubernetesVersion,
    monitoring: hidden,
  });
  try {
    const send = (path: string) => call(cluster.transport(), "GET", path, undefined, { accept: "*/*" });
    await send("/metrics");
    for (const query of ["", "?resourceVersion=0", "?watch=true&timeoutSeconds=1&resourceVersion=0"]) {
      await send(`/api/v1/namespaces${query}`);
    }
    return (await send("/metrics")).text;
  } finally {
    await cluster.close();
  }
}

describe("K37-121: metrics that 1.37 changed", () => {
  const NAMESPACES = { resource: "namespaces" };

  test("in 1.36 lists from the watch cache are counted apart", async () => {
    const text = await metricsOf("1.36", "1.35");
    expect(total(text, "apiserver_cache_list_total", { ...NAMESPACES, index: "" })).toBeGreaterThan(0);
    expect(text).not.toMatch(/^apiserver_storage_list_[a-z_]+\{[^}]*storage=/m);
    expect(text).not.toContain("apiserver_storage_list_duration_seconds");
    expect(text).toContain("apiserver_request_slo_duration_seconds");
    expect(text).toMatch(/^# HELP apiserver_watch_events_total \[ALPHA\]/m);
  });

  test("in 1.37 a label tells them from those from the storage", async () => {
    const text = await metricsOf("1.37", "1.36");
    const ofCache = { ...NAMESPACES, storage: "watchcache" };
    expect(total(text, "apiserver_storage_list_total", { ...ofCache, index: "" })).toBeGreaterThan(0);
    expect(total(text, "apiserver_storage_list_returned_objects_total", ofCache)).toBeGreaterThan(0);
    expect(text).not.toContain("apiserver_request_slo_duration_seconds");
    expect(text).toMatch(/^# HELP apiserver_watch_events_total \[BETA\]/m);
    expect(text).toMatch(/^# HELP apiserver_watch_events_sizes \[BETA\]/m);
    // Hidden, and shown when it is asked for.
    expect(text).toMatch(/^# HELP apiserver_cache_list_total \[ALPHA\] \(Deprecated since 1\.37\.0\)/m);
    expect(await metricsOf("1.37")).not.toContain("apiserver_cache_list");
  });
});
