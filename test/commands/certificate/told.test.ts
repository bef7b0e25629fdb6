import { describe, expect, test } from "vitest";
import { compareWithKubectl } from "../../helpers/compare-with-kubectl.js";
import { realTool } from "../../helpers/real-tools.js";
import type { Served, Told } from "../../helpers/told-server.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`answers are not compared: ${kubectl.missing}\n`);

const SERVED: Served = {
  v1: [["pods", "Pod", true]],
  "certificates.k8s.io/v1": [["certificatesigningrequests", "CertificateSigningRequest", false]],
};
const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests/one";
const CONFLICT: Told = { code: 409, reason: "Conflict" };
const request = (resourceVersion: string): Told => ({
  body: {
    kind: "CertificateSigningRequest",
    apiVersion: "certificates.k8s.io/v1",
    metadata: { name: "one", resourceVersion },
    spec: { signerName: "example.com/s", request: "" },
    status: {},
  },
});

describe.skipIf(kubectl.missing !== undefined)("certificate approve beside other writers, and kubectl's", () => {
  test.each<[string, Readonly<Record<string, readonly Told[]>>, number, number]>([
    [
      "conflicts twice",
      { [`GET ${PATH}`]: [request("1"), request("2")], [`PUT ${PATH}/approval`]: [CONFLICT, CONFLICT, request("3")] },
      0,
      3,
    ],
    ["conflicts for ever", { [`GET ${PATH}`]: [request("1")], [`PUT ${PATH}/approval`]: [CONFLICT] }, 1, 11],
    [
      "comes to nothing when the request goes",
      {
        [`GET ${PATH}`]: [request("1"), request("1"), { code: 404, reason: "NotFound" }],
        [`PUT ${PATH}/approval`]: [CONFLICT],
      },
      1,
      1,
    ],
    [
      "comes to nothing when the request is gone at the second look",
      { [`GET ${PATH}`]: [request("1"), { code: 404, reason: "NotFound" }] },
      1,
      0,
    ],
    [
      "is not everybody's",
      { [`GET ${PATH}`]: [request("1")], [`PUT ${PATH}/approval`]: [{ code: 403, reason: "Forbidden" }] },
      1,
      1,
    ],
  ])("when it %s", async (_what, answers, code, writes) => {
    for (const words of ["certificate approve one", "certificate deny one -o yaml"]) {
      const { real, ours } = await compareWithKubectl(words.split(" "), { served: SERVED, answers });
      expect(ours).toEqual(real);
      expect([real.code, real.requests.filter((one) => one.startsWith("PUT ")).length]).toEqual([code, writes]);
    }
  });
});
