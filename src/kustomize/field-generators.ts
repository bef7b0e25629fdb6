import { generate, withGlobalOptions } from "./generators.js";
import type { Kustomization } from "./kustomization.js";
import type { Loader } from "./loader.js";
import { CHARTS_REFUSED } from "./plugins/helm-chart.js";
import type { Generate } from "./plugins/plugin.js";

/** One generator of a kustomization. */
export interface Generator {
  /** What kustomize calls it. */
  readonly kind: string;
  readonly generate: Generate;
}

/** The generators that the fields of a kustomization ask for, in the order they run. Throws for charts. */
export function generatorsOf(kustomization: Kustomization, loader: Loader): readonly Generator[] {
  const { configMapGenerator = [], secretGenerator = [], generatorOptions, helmCharts = [] } = kustomization;
  if (helmCharts.length > 0) throw new Error(CHARTS_REFUSED);
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
