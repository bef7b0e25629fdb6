import type { ConfigureGenerator } from "./plugin.js";

/** Charts are not rendered. */
export const CHARTS_REFUSED =
  "helmCharts are not rendered: render the chart with `helm template` into a file, and list that file in `resources`";

export const helmChartInflationGenerator: ConfigureGenerator = async () => {
  throw new Error(CHARTS_REFUSED);
};
