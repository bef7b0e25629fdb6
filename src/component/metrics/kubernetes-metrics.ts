import type { ServerVersion } from "../../client/discovery/discovery.js";
import type { FamilyDefinition } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";

const BUILD: FamilyDefinition = {
  name: "kubernetes_build_info",
  type: "gauge",
  help: "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
  labels: [
    "major",
    "minor",
    "git_version",
    "git_commit",
    "git_tree_state",
    "build_date",
    "go_version",
    "compiler",
    "platform",
  ],
  stability: "BETA",
};

const FEATURE: FamilyDefinition = {
  name: "kubernetes_feature_enabled",
  type: "gauge",
  help: "This metric records the data about the stage and enablement of a k8s feature.",
  labels: ["name", "stage"],
  stability: "BETA",
};

/** The fields of /version about the build of a program. */
export type BuildInfo = Pick<
  ServerVersion,
  "major" | "minor" | "gitVersion" | "gitCommit" | "gitTreeState" | "buildDate" | "goVersion" | "compiler" | "platform"
>;

/** Adds the version of the program. */
export function addBuildInfo(table: MetricTable, info: BuildInfo): void {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = info;
  table.onRead(() => {
    const family = table.family(BUILD);
    const labels = [major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform];
    family.set(family.series(...labels), 1);
  });
}

/** Adds which gates are on. `stage` is "ALPHA", "BETA", "DEPRECATED", or "" of a stable feature. */
export function addFeatures(
  table: MetricTable,
  features: Iterable<readonly [name: string, feature: { readonly stage: string; readonly enabled: boolean }]>,
): void {
  const all = [...features];
  table.onRead(() => {
    const family = table.family(FEATURE);
    for (const [name, { stage, enabled }] of all) family.set(family.series(name, stage), enabled ? 1 : 0);
  });
}
