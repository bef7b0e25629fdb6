import { describe, expect, it } from "vitest";
import { dropDisabledFields } from "../../../../../src/server/builtin/core/pods/disabled-fields.js";

const specWith = () => ({
  schedulingGroup: { podGroupName: "g" },
  containers: [
    { name: "a", lifecycle: { stopSignal: "SIGTERM" } },
    { name: "b", lifecycle: { stopSignal: "SIGTERM", preStop: {} } },
  ],
  volumes: [
    {
      name: "v",
      projected: { sources: [{ clusterTrustBundle: { name: "x" } }, { podCertificate: {} }, { secret: {} }] },
    },
  ],
});

describe("fields whose gates are off in 1.36", () => {
  it("are dropped", () => {
    const spec = specWith();
    dropDisabledFields(spec);
    expect(spec).toEqual({
      containers: [{ name: "a" }, { name: "b", lifecycle: { preStop: {} } }],
      volumes: [{ name: "v", projected: { sources: [{}, {}, { secret: {} }] } }],
    });
  });

  it("are kept where the old object has them", () => {
    const spec = specWith();
    dropDisabledFields(spec, specWith());
    expect(spec).toEqual(specWith());
  });
});
