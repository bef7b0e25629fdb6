import { configureBuiltIn, marshalBuiltIn } from "./configuration/config.js";
import { generate, withGlobalOptions } from "./generators.js";
import { chartConfig } from "./helm-charts.js";
import type { Kustomization } from "./kustomization.js";
import { helmChartInflationGenerator } from "./plugins/generators.js";
import type { PluginContext } from "./plugins/load-plugin.js";
import type { Generate } from "./plugins/plugin.js";

/** One generator of a kustomization. */
export interface Generator {
  /** What kustomize calls it. */
  readonly kind: string;
  readonly generate: Generate;
}

/**
 * The generators of a kustomization's fields, in running order. A chart without a namespace gets `chartNamespace`. Throws for an
 * invalid chart.
 */
export async function generatorsOf(
  kustomization: Kustomization,
  context: PluginContext,
  chartNamespace: string,
): Promise<readonly Generator[]> {
  return [...objectGenerators(kustomization, context), ...(await charts(kustomization, context, chartNamespace))];
}

function objectGenerators(kustomization: Kustomization, { loader }: PluginContext): readonly Generator[] {
  const { configMapGenerator = [], secretGenerator = [], generatorOptions } = kustomization;
  const entries = [
    ...configMapGenerator.map((entry) => ({ kind: "ConfigMap" as const, entry })),
    ...secretGenerator.map((entry) => ({ kind: "Secret" as const, entry })),
  ];
  return entries.map(({ kind, entry }) => {
    const { options: own, ...rest } = entry;
    const options = withGlobalOptions(own, generatorOptions);
    const given = options === undefined ? rest : { ...rest, options };
    return { kind: `${kind}Generator`, generate: async () => [await generate(kind, given, loader)] };
  });
}

async function charts(
  { helmCharts = [], helmGlobals = {} }: Kustomization,
  context: PluginContext,
  chartNamespace: string,
): Promise<readonly Generator[]> {
  const kind = "HelmChartInflationGenerator";
  const generators: Generator[] = [];
  for (const chart of helmCharts) {
    const namespace = (chart.namespace ?? "") === "" ? chartNamespace : chart.namespace;
    const yaml = marshalBuiltIn(kind, () => chartConfig(helmGlobals, { ...chart, namespace }));
    const configure = (): Promise<Generate> => helmChartInflationGenerator({ ...context, yaml });
    generators.push({ kind, generate: await configureBuiltIn(kind, yaml, configure) });
  }
  return generators;
}
