import { afterAll, beforeAll, describe, test } from "vitest";
import { create, expectAnswer, expectTaken, merge, tryMerge } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";
const denied = (name: string): string =>
  `persistentvolumeclaims "${name}" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize`;

let server: AdmittingServer;

async function bound(name: string, spec: object, metadata: object = {}): Promise<void> {
  const resources = { requests: { storage: "1Gi" } };
  const body = {
    metadata: { name, ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], volumeName: "v", resources, ...spec },
  };
  await expectTaken(create(server.api, CLAIMS, body));
  await expectTaken(merge(server.api, `${CLAIMS}/${name}/status`, { status: { phase: "Bound" } }));
}

beforeAll(async () => {
  server = await admittingServer({});
  for (const [name, more] of [
    ["grows", { allowVolumeExpansion: true }],
    ["stays", { allowVolumeExpansion: false }],
    ["silent", {}],
  ] as const) {
    await expectTaken(create(server.api, CLASSES, { metadata: { name }, provisioner: "p.example.com", ...more }));
  }
  await bound("grows", { storageClassName: "grows" });
  await bound("stays", { storageClassName: "stays" });
  await bound("silent", { storageClassName: "silent" });
  await bound("gone", { storageClassName: "gone" });
  await bound("none", { storageClassName: "" });
  await bound("old-grows", {}, { annotations: { [OLD_CLASS]: "grows" } });
  await bound("old-stays", {}, { annotations: { [OLD_CLASS]: "stays" } });
});
afterAll(() => server[Symbol.asyncDispose]());

const asks = (storage: string): object => ({ spec: { resources: { requests: { storage } } } });

describe("the admission plugin PersistentVolumeClaimResize: a bound claim", () => {
  const rows: readonly (readonly [title: string, name: string, patch: object, message: string])[] = [
    ["may ask for more where its class allows that", "grows", asks("2Gi"), ""],
    ["may not where its class forbids that", "stays", asks("2Gi"), denied("stays")],
    ["may not where its class does not say", "silent", asks("2Gi"), denied("silent")],
    ["may not where its class does not exist", "gone", asks("2Gi"), denied("gone")],
    ["may not without a class", "none", asks("2Gi"), denied("none")],
    ["may with a class named as before 1.6", "old-grows", asks("2Gi"), ""],
    ["may not with such a class that forbids it", "old-stays", asks("2Gi"), denied("old-stays")],
    ["may not ask for one byte more", "stays", asks("1073741825"), denied("stays")],
    ["may write the same size in another way", "stays", asks("1024Mi"), ""],
    ["may be labelled whatever its class is", "stays", { metadata: { labels: { a: "b" } } }, ""],
    [
      "may grow and be labelled at once",
      "grows",
      { metadata: { labels: { a: "b" } }, spec: { resources: { requests: { storage: "5Gi" } } } },
      "",
    ],
  ];
  test.each(rows)("%s", (_, name, patch, message) =>
    expectAnswer(tryMerge(server.api, `${CLAIMS}/${name}`, patch), message),
  );

  test("may have its status changed", () =>
    expectAnswer(tryMerge(server.api, `${CLAIMS}/stays/status`, { status: { capacity: { storage: "9Gi" } } }), ""));
});

test("with PersistentVolumeClaimResize disabled a claim may grow although its class forbids it", async () => {
  await using other = await admittingServer({ disable: ["PersistentVolumeClaimResize"] });
  const body = {
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], volumeName: "v", resources: { requests: { storage: "1Gi" } } },
  };
  await expectTaken(create(other.api, CLAIMS, body));
  await expectTaken(merge(other.api, `${CLAIMS}/c/status`, { status: { phase: "Bound" } }));
  await expectTaken(merge(other.api, `${CLAIMS}/c`, asks("2Gi")));
});
