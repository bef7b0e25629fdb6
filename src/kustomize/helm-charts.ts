import { isJsonObject, type JsonObject, type JsonValue } from "../machinery/meta/json.js";
import { emitYaml } from "../machinery/text/yaml/emit.js";

/** An entry of `helmCharts`, by its JSON names. */
export interface HelmChart {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly repo?: string | undefined;
  readonly releaseName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly valuesFile?: string | undefined;
  readonly additionalValuesFiles?: readonly string[];
  readonly valuesInline?: JsonObject | undefined;
  readonly valuesMerge?: string | undefined;
}

/** The settings that all charts of a kustomization share. */
export interface HelmGlobals {
  readonly chartHome?: string;
  readonly configHome?: string;
}

/** An entry of the deprecated `helmChartInflationGenerator`. */
export interface HelmChartArgs extends HelmGlobals {
  readonly chartName?: string;
  readonly chartVersion?: string;
  readonly chartRepoUrl?: string;
  readonly helmHome?: string;
  readonly values?: string;
  readonly valuesLocal?: JsonObject;
  readonly valuesMerge?: string;
  readonly releaseName?: string;
}

/** Converts the charts of the deprecated field; members that a chart does not have are dropped. */
export const chartsOf = (entries: readonly HelmChartArgs[]): readonly HelmChart[] =>
  entries.map(({ chartName, chartVersion, chartRepoUrl, values, valuesLocal, valuesMerge, releaseName }) => ({
    name: chartName,
    version: chartVersion,
    repo: chartRepoUrl,
    valuesFile: values,
    valuesInline: valuesLocal,
    valuesMerge,
    releaseName,
  }));

/** The folders in the deprecated field; the last entry wins. Undefined when it names none. */
export function globalsOf(entries: readonly HelmChartArgs[]): HelmGlobals | undefined {
  const chartHome = entries.findLast((entry) => (entry.chartHome ?? "") !== "")?.chartHome;
  const configHome = entries.findLast((entry) => (entry.helmHome ?? "") !== "")?.helmHome;
  if (chartHome === undefined && configHome === undefined) return undefined;
  return { ...(chartHome !== undefined && { chartHome }), ...(configHome !== undefined && { configHome }) };
}

/** Writes the configuration of a chart's generator as YAML: the fields that are not empty, and the unchanged values. */
export function chartConfig(globals: HelmGlobals, chart: HelmChart): string {
  const fields = Object.entries({ ...globals, ...chart }).filter(
    ([, value]) => !isEmpty(value as JsonValue | undefined),
  );
  return emitYaml(withDoubles(Object.fromEntries(fields) as JsonObject));
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Go holds the numbers of a chart's values as doubles, whatever their digits were. */
function withDoubles(value: JsonValue): JsonValue {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withDoubles(held)]));
}
