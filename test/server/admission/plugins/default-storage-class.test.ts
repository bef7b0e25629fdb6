import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, expectTaken, merge, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const DEFAULT = "storageclass.kubernetes.io/is-default-class";
const OLD_DEFAULT = "storageclass.beta.kubernetes.io/is-default-class";
const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";

const claim = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "c", ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});

interface Class {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly created?: string;
}

/** A server with these classes, whose ages are those that they bring. */
async function serverWith(classes: readonly Class[]): Promise<AdmittingServer> {
  let now = 0;
  const clock = { now: () => now };
  const server = await admittingServer({}, undefined, undefined, { clock });
  for (const { name, annotations, created = "2026-01-01T00:00:00Z" } of classes) {
    now = Date.parse(created);
    await expectTaken(create(server.api, CLASSES, { metadata: { name, annotations }, provisioner: "p.example.com" }));
  }
  return server;
}

const usual = { [DEFAULT]: "true" };

describe("the admission plugin DefaultStorageClass, for a new claim:", () => {
  const rows: readonly (readonly [title: string, classes: readonly Class[], gets: string | undefined])[] = [
    ["stays so where there are no classes", [], undefined],
    ["stays so where no class is the default", [{ name: "a" }, { name: "b" }], undefined],
    ["gets the default class", [{ name: "a" }, { name: "b", annotations: usual }], "b"],
    ["gets a class that has the older annotation", [{ name: "a", annotations: { [OLD_DEFAULT]: "true" } }], "a"],
    ["does not get a class that says false", [{ name: "a", annotations: { [DEFAULT]: "false" } }], undefined],
    ["does not get a class that says True", [{ name: "a", annotations: { [DEFAULT]: "True" } }], undefined],
    ["does not get a class that says nothing", [{ name: "a", annotations: { [DEFAULT]: "" } }], undefined],
    [
      "gets the newest of several defaults",
      [
        { name: "a", annotations: usual, created: "2026-01-01T00:00:00Z" },
        { name: "b", annotations: usual, created: "2026-01-03T00:00:00Z" },
        { name: "c", annotations: usual, created: "2026-01-02T00:00:00Z" },
      ],
      "b",
    ],
    [
      "gets the first by name of equally old defaults",
      [
        { name: "b", annotations: usual },
        { name: "a", annotations: usual },
      ],
      "a",
    ],
    [
      "gets the newest default whichever annotation it has",
      [
        { name: "a", annotations: usual, created: "2026-01-01T00:00:00Z" },
        { name: "b", annotations: { [OLD_DEFAULT]: "true" }, created: "2026-01-02T00:00:00Z" },
      ],
      "b",
    ],
  ];
  test.each(rows)("%s", async (_, classes, gets) => {
    await using server = await serverWith(classes);
    const made = await expectTaken(tryCreate(server.api, CLAIMS, claim()));
    expect(made.at("spec.storageClassName")).toBe(gets);
  });
});

describe("DefaultStorageClass, where there is a default class:", () => {
  let server: AdmittingServer;
  beforeAll(async () => {
    server = await serverWith([{ name: "usual", annotations: usual }, { name: "other" }]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const rows: readonly (readonly [title: string, body: object, has: string | undefined])[] = [
    ["a claim keeps the class that it names", claim({ storageClassName: "other" }), "other"],
    ["a claim may name a class that does not exist", claim({ storageClassName: "gone" }), "gone"],
    ["a claim that names the empty class gets none", claim({ storageClassName: "" }), ""],
    ["a claim may name its class as before 1.6", claim({}, { annotations: { [OLD_CLASS]: "other" } }), undefined],
    ["a claim with a volume of its own gets the class too", claim({ volumeName: "v" }), "usual"],
  ];
  test.each(rows)("%s", async (_, body, has) => {
    const made = await expectTaken(tryCreate(server.api, CLAIMS, body));
    expect(made.at("spec.storageClassName")).toBe(has);
  });

  test("DefaultStorageClass gives a changed claim no class", async () => {
    await expectTaken(create(server.api, CLAIMS, claim({ storageClassName: "" }, { name: "kept" })));
    const changed = await expectTaken(merge(server.api, `${CLAIMS}/kept`, { metadata: { labels: { a: "b" } } }));
    expect(changed.at("spec.storageClassName")).toBe("");
  });

  test("DefaultStorageClass can be disabled", async () => {
    await using other = await admittingServer({ disable: ["DefaultStorageClass"] });
    const annotated = { metadata: { name: "usual", annotations: usual }, provisioner: "p.example.com" };
    await expectTaken(create(other.api, CLASSES, annotated));
    expect((await expectTaken(tryCreate(other.api, CLAIMS, claim()))).at("spec.storageClassName")).toBeUndefined();
  });
});
