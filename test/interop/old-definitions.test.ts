import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const missing = realTool("kubectl").missing;
if (missing !== undefined) process.stdout.write(`old definitions by kubectl are skipped: ${missing}\n`);

/** As the documentation of Kubernetes 1.11 to 1.15 had it. */
const MANIFEST = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  version: v1
  scope: Namespaced
  names:
    plural: crontabs
    singular: crontab
    kind: CronTab
    shortNames:
    - ct
  subresources:
    status: {}
  additionalPrinterColumns:
  - name: Spec
    type: string
    JSONPath: .spec.cronSpec
  validation:
    openAPIV3Schema:
      properties:
        spec:
          properties:
            cronSpec:
              type: string
              pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'
            replicas:
              type: integer
              minimum: 1
              maximum: 10
`;
const OBJECT = `apiVersion: stable.example.com/v1
kind: CronTab
metadata:
  name: my-new-cron-object
spec:
  cronSpec: "* * * * */5"
  image: my-awesome-cron-image
  replicas: 5
  unknown: to the schema
`;
const WARNING =
  "Warning: apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition\n";
const NAME = "customresourcedefinition.apiextensions.k8s.io/crontabs.stable.example.com";

/** The tests are one story, in their order. */
describe.skipIf(missing !== undefined)("kubectl 1.37.1 with a CustomResourceDefinition of v1beta1", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ runtimeConfig: { "apiextensions.k8s.io/v1beta1": true } });
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  test("applies it with a warning", async () => {
    expect(await kubectl.run("apply -f -", MANIFEST)).toEqual({
      code: 0,
      stdout: `${NAME} created\n`,
      stderr: WARNING,
    });
    expect(await kubectl.ok("wait --for condition=established crd/crontabs.stable.example.com")).toBe(
      `${NAME} condition met\n`,
    );
  });

  test("applies it again without a change", async () => {
    expect(await kubectl.run("apply -f -", MANIFEST)).toMatchObject({ code: 0, stdout: `${NAME} unchanged\n` });
  });

  test("creates its objects with fields that the schema lacks, and lists them by its columns", async () => {
    await eventually(async () => {
      expect(await kubectl.ok("apply -f -", OBJECT)).toBe("crontab.stable.example.com/my-new-cron-object created\n");
    });
    expect(await kubectl.ok("get ct")).toBe("NAME                 SPEC\nmy-new-cron-object   * * * * */5\n");
    expect(await kubectl.ok("get ct my-new-cron-object -o jsonpath={.spec.unknown}")).toBe("to the schema");
    expect(await kubectl.ok("apply -f -", OBJECT)).toBe("crontab.stable.example.com/my-new-cron-object unchanged\n");
  });

  test("is refused objects that its schema refuses", async () => {
    const { code, stderr } = await kubectl.run("apply -f -", OBJECT.replace("replicas: 5", "replicas: 15"));
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The CronTab "my-new-cron-object" is invalid: spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10\n',
    );
  });

  test("changes it by both ways of apply", async () => {
    const wider = MANIFEST.replace("maximum: 10", "maximum: 20");
    expect(await kubectl.run("apply -f -", wider)).toMatchObject({ code: 0, stdout: `${NAME} configured\n` });
    const wide = MANIFEST.replace("maximum: 10", "maximum: 30");
    expect(await kubectl.run("apply --server-side --force-conflicts -f -", wide)).toMatchObject({
      code: 0,
      stdout: `${NAME} serverside-applied\n`,
    });
    const path = "{.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas.maximum}";
    expect(await kubectl.ok(`get crd crontabs.stable.example.com -o jsonpath=${path}`)).toBe("30");
  });

  test("gets it in the requested version", async () => {
    const crd = (version: string): Promise<string> =>
      kubectl.ok(
        `get customresourcedefinitions.${version}.apiextensions.k8s.io crontabs.stable.example.com -o jsonpath={.apiVersion}|{.spec.version}|{.spec.preserveUnknownFields}|{.spec.additionalPrinterColumns[0].JSONPath}|{.spec.versions[0].additionalPrinterColumns[0].jsonPath}`,
      );
    expect(await crd("v1beta1")).toBe("apiextensions.k8s.io/v1beta1|v1|true|.spec.cronSpec|");
    expect(await crd("v1")).toBe("apiextensions.k8s.io/v1||true||.spec.cronSpec");
  });

  test("explains fields of v1beta1, and nothing of a schema that is not structural", async () => {
    const explained = await kubectl.ok("explain crd.spec --api-version=apiextensions.k8s.io/v1beta1");
    expect(explained).toMatch(/^ {2}preserveUnknownFields\t<boolean>$/m);
    expect(explained).toMatch(/^ {2}validation\t<CustomResourceValidation>$/m);
    expect(await kubectl.ok("explain ct")).toMatch(/^KIND: {7}CronTab\n/m);
  });

  test("deletes it with its objects", async () => {
    expect((await kubectl.run("delete -f -", MANIFEST)).stdout).toBe(
      'customresourcedefinition.apiextensions.k8s.io "crontabs.stable.example.com" deleted\n',
    );
    await eventually(async () => expect((await kubectl.run("get ct --cache-dir=none")).code).toBe(1));
  });
});
