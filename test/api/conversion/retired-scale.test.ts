import { describe } from "vitest";
import { testMessages } from "../../helpers/conversion-messages.js";
import { testConversions } from "../../helpers/conversion-rows.js";

// Sources: Convert_*_ScaleStatus_* in kubernetes pkg/apis/{extensions/v1beta1,apps/v1beta1,apps/v1beta2}/conversion.go,
// ParseToLabelSelector in apimachinery's meta/v1/helpers.go.

const EXTENSIONS = "extensions/v1beta1";
const BETA1 = "apps/v1beta1";
const BETA2 = "apps/v1beta2";

describe("converting the selector of a Scale", () => {
  const scale = (status: object) => ({
    metadata: { name: "x" },
    spec: { replicas: 2 },
    status: { replicas: 2, ...status },
  });
  const SCALE = "autoscaling/v1";
  testConversions([
    [
      "a map becomes a text, sorted",
      "Scale",
      EXTENSIONS,
      SCALE,
      scale({ selector: { tier: "web", app: "x" } }),
      scale({ selector: "app=x,tier=web" }),
    ],
    [
      "the text goes first",
      "Scale",
      BETA1,
      SCALE,
      scale({ selector: { app: "x" }, targetSelector: "app in (x,y)" }),
      scale({ selector: "app in (x,y)" }),
    ],
    ["none stays none", "Scale", BETA2, SCALE, scale({ selector: {}, targetSelector: "" }), scale({})],
    [
      "labels are shown both ways",
      "Scale",
      SCALE,
      EXTENSIONS,
      scale({ selector: "app=x,tier==web" }),
      scale({ selector: { app: "x", tier: "web" }, targetSelector: "app=x,tier==web" }),
    ],
    [
      "what a map cannot say is in the text alone",
      "Scale",
      SCALE,
      BETA1,
      scale({ selector: "app=x,tier!=db" }),
      scale({ targetSelector: "app=x,tier!=db" }),
    ],
    ["none stays none", "Scale", SCALE, BETA2, scale({ selector: "" }), scale({})],
    [
      "old versions into each other",
      "Scale",
      BETA2,
      EXTENSIONS,
      scale({ selector: { app: "x" } }),
      scale({ selector: { app: "x" }, targetSelector: "app=x" }),
    ],
  ]);
  testMessages([
    [
      "no comparison of numbers",
      "Scale",
      SCALE,
      EXTENSIONS,
      scale({ selector: "size>3" }),
      'failed to parse selector: "gt" isn\'t supported in label selectors',
    ],
    [
      "no selector at all",
      "Scale",
      SCALE,
      BETA2,
      scale({ selector: "a=b c" }),
      "failed to parse selector: couldn't parse the selector string \"a=b c\": found 'c', expected: ',' or 'end of string'",
    ],
  ]);
});
