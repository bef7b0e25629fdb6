import type { Kustomization } from "./kustomization.js";

/** Programs that a kustomization would run are not run. */
export function refusePlugins({ generators, transformers, validators, helmCharts }: Kustomization): void {
  if (helmCharts !== undefined && helmCharts.length > 0) {
    throw new Error(
      "helmCharts are not rendered: render the chart with `helm template` into a file, and list that file in `resources`",
    );
  }
  for (const [name, list] of Object.entries({ generators, transformers, validators })) {
    if (list !== undefined && list.length > 0) {
      throw new Error(
        `the field '${name}' names plugins, and plugins are not supported: write what they do in other fields`,
      );
    }
  }
}
