import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { decodeTyped } from "../../../src/machinery/wire/decode-typed.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { decodeJson } from "../../../src/machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../src/machinery/wire/json/json-encoder.js";
import { parseGroupVersion } from "../../../src/machinery/meta/gvk.js";
import { realTool } from "../../helpers/real-tools.js";

// `kubectl set image --local` decodes an object into its Go type and encodes it again, with no server.
const kubectl = realTool("kubectl");

const inContainer = (rest: string): string =>
  `{"containers":[{"name":"c","image":"x"${rest === "" ? "" : `,${rest}`}}]}`;
const inPodSpec = (rest: string): string => `{"containers":[{"name":"c","image":"x"}],${rest}}`;
const workload = (kind: string, spec: string, podSpec = inContainer("")): string =>
  `{"apiVersion":"${kind === "CronJob" || kind === "Job" ? "batch/v1" : "apps/v1"}","kind":"${kind}","metadata":{"name":"a"},"spec":{${spec === "" ? "" : `${spec},`}"template":{"spec":${podSpec}}}}`;
const deployment = (spec: string, podSpec?: string): string => workload("Deployment", spec, podSpec);
const withMetadata = (metadata: string): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":${metadata},"spec":${inContainer("")}}`;

const rows: readonly (readonly [string, string])[] = [
  ["a string for a number", deployment('"replicas":"3"')],
  ["the first of two wrong types", deployment('"paused":"x","replicas":"y"')],
  ["a fraction for a port", deployment("", inContainer('"ports":[{"containerPort":80.5}]'))],
  ["a list for an int-or-string", deployment('"strategy":{"rollingUpdate":{"maxSurge":[1]}}')],
  ["a large number for an int-or-string", deployment('"strategy":{"rollingUpdate":{"maxSurge":99999999999}}')],
  ["a list for a map", deployment("", inPodSpec('"nodeSelector":[1]'))],
  ["a bool for a quantity", deployment("", inContainer('"resources":{"limits":{"cpu":true}}'))],
  ["a list for a resource list", deployment("", inContainer('"resources":{"limits":["cpu"]}'))],
  ["strings for containers", deployment("", '{"containers":["c"]}')],
  ["a string for a struct in an inlined one", deployment("", inPodSpec('"volumes":[{"name":"a","emptyDir":"x"}]'))],
  ["a number for an inlined kind", workload("StatefulSet", '"volumeClaimTemplates":[{"kind":1}]')],
  ["an unfit list in a selector", deployment('"selector":{"matchExpressions":[{"key":"a","values":"x"}]}')],
  ["a list for metadata", withMetadata("[]")],
  ["a list for labels", withMetadata('{"labels":["x"]}')],
  ["a day that is none", withMetadata('{"creationTimestamp":"2020-02-30T00:00:00Z"}')],
  ["a time without a zone", withMetadata('{"creationTimestamp":"2020-02-20T00:00:00"}')],
  ["a zone that is none", withMetadata('{"creationTimestamp":"2020-02-20T00:00:00+25:00"}')],
  ["a number for a time", withMetadata('{"creationTimestamp":5}')],
  ["text after a time", withMetadata('{"creationTimestamp":"2020-02-20T00:00:00Z "}')],
  [
    "nulls and empty values of every sort",
    withMetadata(
      '{"name":"a","labels":null,"creationTimestamp":"2020-02-20T01:00:00.5+01:30","ownerReferences":[null],"finalizers":[null,"a"]}',
    ),
  ],
  [
    "zero structs and lists without omitempty",
    deployment(
      '"selector":null,"paused":false,"progressDeadlineSeconds":0',
      inPodSpec(
        '"volumes":[{"name":"b","projected":{"sources":null}}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}},"topologySpreadConstraints":[{}]',
      ),
    ),
  ],
  [
    "quantities in forms that are not canonical",
    deployment(
      "",
      inContainer(
        '"resources":{"limits":{"a":1,"b":"1024Mi","c":"1e3","d":null,"e":"1500m","f":".5","g":"-5","h":"123456789012345678901"}}',
      ),
    ),
  ],
  ["characters that Go escapes", deployment("", inContainer('"args":["<&>\\u2028"]'))],
  ["an integer beyond 2^53", withMetadata('{"name":"a","generation":9007199254740993}')],
  ["a job with everything left out", workload("Job", '"podFailurePolicy":{"rules":null}')],
];

describe.skipIf(kubectl.missing !== undefined)(
  `as the real kubectl decodes and encodes ${kubectl.missing ?? ""}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "kubets-codec-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test.concurrent.each(rows)("%s", async (name, text) => {
      const file = join(folder, `${name.replaceAll(/\W+/g, "-")}.json`);
      writeFileSync(file, text);
      const real = await setImage(file, folder);
      expect(ours(text)).toBe(real.replace(`unable to decode ${JSON.stringify(file)}: `, ""));
    });
  },
);

function setImage(file: string, home: string): Promise<string> {
  const arguments_ = ["set", "image", "--local", "-f", file, "c=changed", "-o", "json"];
  const env = { HOME: home, KUBECONFIG: join(home, "none"), LC_ALL: "C", TZ: "UTC" };
  return new Promise((resolve) => {
    execFile(kubectl.path, arguments_, { env }, (_error, stdout, stderr) => {
      if (stdout !== "") resolve(encodeJson(decodeJson(stdout).value).replace('"image":"changed"', '"image":"x"'));
      else resolve(stderr.trim().replace(/^error: /, ""));
    });
  });
}

function ours(text: string): string {
  const { apiVersion, kind } = JSON.parse(text) as { apiVersion: string; kind: string };
  const expected = { ...parseGroupVersion(apiVersion), kind };
  try {
    const { object, schema } = decodeTyped(new TextEncoder().encode(text), {
      expected,
      schemaOf: schemaFor,
      mode: "Ignore",
    });
    return encodeObjectText(object, schema);
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^.* cannot be handled as a [A-Za-z]+: /, "") : String(error);
  }
}
