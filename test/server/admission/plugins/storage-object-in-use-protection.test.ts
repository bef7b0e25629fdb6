import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, expectTaken, merge, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES = "/api/v1/persistentvolumes";
const CLASSES = "/apis/storage.k8s.io/v1/volumeattributesclasses";
const PVC = "kubernetes.io/pvc-protection";
const PV = "kubernetes.io/pv-protection";
const VAC = "kubernetes.io/vac-protection";

const claim = (finalizers?: readonly string[]): object => ({
  metadata: { name: "c", finalizers },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const volume = (finalizers?: readonly string[]): object => ({
  metadata: { name: "v", finalizers },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/v" } },
});
const attributes = (finalizers?: readonly string[]): object => ({
  metadata: { name: "a", finalizers },
  driverName: "d.example.com",
  parameters: { a: "b" },
});

let server: AdmittingServer;
beforeAll(async () => {
  server = await admittingServer({});
});
afterAll(() => server[Symbol.asyncDispose]());

describe("the admission plugin StorageObjectInUseProtection", () => {
  const rows: readonly (readonly [title: string, path: string, body: object, has: readonly string[] | undefined])[] = [
    ["protects a new claim", CLAIMS, claim(), [PVC]],
    ["protects a new volume", VOLUMES, volume(), [PV]],
    ["protects a new VolumeAttributesClass", CLASSES, attributes(), [VAC]],
    ["adds itself behind a claim's own finalizers", CLAIMS, claim(["a.b/c"]), ["a.b/c", PVC]],
    ["adds itself behind a volume's own finalizers", VOLUMES, volume(["a.b/c"]), ["a.b/c", PV]],
    ["adds itself behind a class's own finalizers", CLASSES, attributes(["a.b/c"]), ["a.b/c", VAC]],
    ["leaves a claim that is protected already", CLAIMS, claim([PVC, "a.b/c"]), [PVC, "a.b/c"]],
    ["leaves a volume that is protected already", VOLUMES, volume([PV]), [PV]],
    ["leaves a class that is protected already", CLASSES, attributes([VAC]), [VAC]],
    [
      "leaves a StorageClass alone",
      "/apis/storage.k8s.io/v1/storageclasses",
      { metadata: { name: "s" }, provisioner: "p.example.com" },
      undefined,
    ],
    ["leaves a ConfigMap alone", "/api/v1/namespaces/default/configmaps", { metadata: { name: "m" } }, undefined],
  ];
  test.each(rows)("%s", async (_, path, body, has) => {
    const made = await expectTaken(tryCreate(server.api, path, body));
    expect(made.at("metadata.finalizers")).toEqual(has);
  });

  test.each([
    ["a claim", CLAIMS, claim(), "c"],
    ["a volume", VOLUMES, volume(), "v"],
    ["a class", CLASSES, attributes(), "a"],
  ])("lets an update remove the finalizer of %s", async (_, path, body, name) => {
    await expectTaken(create(server.api, path, body));
    const changed = await expectTaken(merge(server.api, `${path}/${name}`, { metadata: { finalizers: null } }));
    expect(changed.at("metadata.finalizers")).toBeUndefined();
  });

  test("can be disabled", async () => {
    await using other = await admittingServer({ disable: ["StorageObjectInUseProtection"] });
    expect((await expectTaken(tryCreate(other.api, CLAIMS, claim()))).at("metadata.finalizers")).toBeUndefined();
  });
});
