import type { ComponentFlag } from "../component-flag.js";

/**
 * How --feature-gates is read: "NAME=true,kube:OTHER=false", given again for more. Keeps the entries as they stand; which features there are,
 * the component checks.
 */
export const featureGatePairs: Pick<ComponentFlag & { type: "mapStringString" }, "type" | "parse"> = {
  type: "mapStringString",
  parse: (text, before) => [
    ...before,
    ...text
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  ],
};
