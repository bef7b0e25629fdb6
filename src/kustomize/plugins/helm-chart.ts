import { wrap } from "../field-spec.js";
import { embedded, struct } from "../go-struct.js";
import type { HelmChart, HelmGlobals } from "../helm-charts.js";
import { helmChartFields, helmGlobalsFields } from "../kustomization-shape.js";
import { configOf, type ConfigureGenerator } from "./plugin.js";

const CHARTS_REFUSED =
  "helmCharts are not rendered: render the chart with `helm template` into a file, and list that file in `resources`";

const helmChartShape = struct("builtins.HelmChartInflationGeneratorPlugin", {
  ...embedded("HelmGlobals", helmGlobalsFields),
  ...embedded("HelmChart", helmChartFields),
});

const MERGES = ["merge", "override", "replace"];

/** Checks what a chart is configured with, as kustomize does. A chart that is right is refused once it would be rendered. */
export const helmChartInflationGenerator: ConfigureGenerator = async (source) => {
  const { helmCommand, loader } = source;
  if (helmCommand === undefined) throw new Error("must specify --enable-helm");
  if (helmCommand === "") throw new Error("must specify --helm-command");
  const { name = "", additionalValuesFiles = [], valuesMerge = "" } = configOf<HelmGlobals & HelmChart>(source, helmChartShape);
  if (name === "") throw new Error("chart name cannot be empty");
  for (const path of additionalValuesFiles) {
    await loader.load(path).catch((error: unknown) => {
      throw wrap(error, "could not load additionalValuesFile");
    });
  }
  if (valuesMerge !== "" && !MERGES.includes(valuesMerge)) {
    throw new Error(`valuesMerge must be one of [${MERGES.join(" ")}]`);
  }
  return async () => {
    throw new Error(CHARTS_REFUSED);
  };
};
