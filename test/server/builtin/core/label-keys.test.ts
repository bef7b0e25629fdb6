import { describe, expect, it } from "vitest";
import { mergeLabelKeys } from "../../../../src/server/builtin/core/label-keys.js";
import { create } from "../../../api/validation/workload-kinds.js";

const labels = { a: "1", b: "2" };

describe("matchLabelKeys and similar fields of a new pod", () => {
  it("add the pod's own labels to the selectors beside them", () => {
    const term = { topologyKey: "k", labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["b"] };
    const constraint = { labelSelector: { matchLabels: { q: "r" } }, matchLabelKeys: ["a", "none"] };
    const spec = {
      topologySpreadConstraints: [constraint],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    };
    mergeLabelKeys(spec, labels);
    expect(constraint.labelSelector).toEqual({
      matchLabels: { q: "r" },
      matchExpressions: [{ key: "a", operator: "In", values: ["1"] }],
    });
    expect(term.labelSelector).toEqual({
      matchExpressions: [
        { key: "a", operator: "In", values: ["1"] },
        { key: "b", operator: "NotIn", values: ["2"] },
      ],
    });
  });

  it("do nothing without a selector", () => {
    const constraint = { matchLabelKeys: ["a"] };
    mergeLabelKeys({ topologySpreadConstraints: [constraint] }, labels);
    expect(constraint).toEqual({ matchLabelKeys: ["a"] });
    const rows = create("podSpec", {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["a"] },
      ],
    });
    expect(rows.errors).toEqual([
      "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ]);
  });
});
