import { describe, expect, test } from "vitest";
import { Environment } from "../../../../src/node/agent/container-environment.js";
import { volumeMounts } from "../../../../src/node/agent/volumes/volume-mounts.js";
import type { VolumeFile, VolumeMount } from "../../../../src/node/container-runtime.js";
import { mountSource } from "../../../helpers/mount-source.js";

const env = new Environment();
env.set("POD", "web-0");
env.set("EMPTY", "");

const mountsAt = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: "v", mountPath: `/m${index}/` }));

async function filesOf({ volume }: VolumeMount): Promise<ReadonlyMap<string, VolumeFile>> {
  if (volume.kind !== "files") throw new Error(`a volume of the kind ${volume.kind}`);
  return volume.files();
}

/** The modes of a volume's files, in octal. */
async function modesOf(volume: object): Promise<Readonly<Record<string, string>>> {
  const source = mountSource({ a: "x", b: "y" }, [{ name: "v", ...volume }]);
  const [mount] = await volumeMounts({ volumeMounts: mountsAt(1) }, env, source);
  const files = mount === undefined ? [] : [...(await filesOf(mount))];
  return Object.fromEntries(files.map(([path, { mode }]) => [path, mode.toString(8)]));
}

describe("volumes with files of ConfigMaps and Secrets", () => {
  const volume = { name: "v", configMap: { name: "big" } };

  test("hold their bytes once, however many mounts and containers use them", async () => {
    const data = { a: "x".repeat(1000) };
    const [[first, second], [other]] = await Promise.all([
      volumeMounts({ volumeMounts: mountsAt(2) }, env, mountSource(data, [volume])),
      volumeMounts({ volumeMounts: mountsAt(1) }, env, mountSource(data, [volume])),
    ]);
    if (first === undefined || second === undefined || other === undefined) throw new Error("a mount is missing");
    expect(second.volume).toBe(first.volume);
    expect((await filesOf(other)).get("a")?.content).toBe((await filesOf(first)).get("a")?.content);
  });

  test("are refused before any file is made when the node has no room", async () => {
    const data = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, ""]));
    await expect(volumeMounts({ volumeMounts: mountsAt(100) }, env, mountSource(data, [volume]))).rejects.toThrow(
      'MountVolume.SetUp failed for volume "v" : no space left on device',
    );
  });

  test.each([
    ["by default", { configMap: { name: "c" } }, { a: "644", b: "644" }],
    ["by defaultMode", { secret: { secretName: "s", defaultMode: 0o400 } }, { a: "400", b: "400" }],
    [
      "by the mode of an item, else by defaultMode",
      {
        configMap: {
          name: "c",
          defaultMode: 0o600,
          items: [
            { key: "a", path: "bin/a", mode: 0o755 },
            { key: "b", path: "b" },
          ],
        },
      },
      { "bin/a": "755", b: "600" },
    ],
    [
      "of a projected volume",
      {
        projected: {
          defaultMode: 0o440,
          sources: [
            { configMap: { name: "c", items: [{ key: "a", path: "a", mode: 0o700 }] } },
            { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
            { serviceAccountToken: { path: "token" } },
          ],
        },
      },
      { a: "700", name: "440", token: "440" },
    ],
  ])("have file modes: %s", async (_title, given, modes) => {
    expect(await modesOf(given)).toEqual(modes);
  });

  test("leave out missing items of an optional ConfigMap", async () => {
    const items = [
      { key: "a", path: "a" },
      { key: "z", path: "z" },
    ];
    expect(await modesOf({ configMap: { name: "c", optional: true, items } })).toEqual({ a: "644" });
    await expect(modesOf({ configMap: { name: "c", items } })).rejects.toThrow("non-existent config key: z");
  });
});

describe("the volume mounts of a container", () => {
  const volumes = [
    { name: "map", configMap: { name: "c" } },
    { name: "scratch", emptyDir: {} },
    { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
    { name: "unlimited", emptyDir: { medium: "Memory", sizeLimit: "0" } },
    { name: "disk", emptyDir: { sizeLimit: "1Mi" } },
    { name: "host", hostPath: { path: "/var/log", type: "Directory" } },
    { name: "driver", csi: { driver: "example.com" } },
  ];
  const one = async (mount: object): Promise<VolumeMount | undefined> =>
    (await volumeMounts({ volumeMounts: [{ mountPath: "/m", ...mount }] }, env, mountSource({}, volumes)))[0];

  test.each([
    ["of files are read-only", { name: "map" }, { readOnly: true }],
    ["of an emptyDir are writable", { name: "scratch" }, { readOnly: false, volume: { kind: "pod" } }],
    ["are read-only where they say so", { name: "scratch", readOnly: true }, { readOnly: true }],
    ["of memory hold no more than the limit", { name: "memory" }, { volume: { kind: "pod", capacity: 1024 * 1024 } }],
    ["of memory without a limit hold what fits", { name: "unlimited" }, { volume: { kind: "pod" } }],
    ["of a disk hold more, until the kubelet looks", { name: "disk" }, { volume: { kind: "pod" } }],
    [
      "of the node name its folder",
      { name: "host" },
      { volume: { kind: "host", path: "/var/log", type: "Directory" } },
    ],
    ["that drivers would fill are empty", { name: "driver" }, { volume: { kind: "pod" } }],
    ["have paths from the root", { name: "scratch", mountPath: "m/n" }, { path: "/m/n" }],
    ["expand a subPathExpr", { name: "scratch", subPathExpr: "a/$(POD)/$$(POD)" }, { subPath: "a/web-0/$(POD)" }],
  ])("%s", async (_title, mount, expected) => {
    const made = await one(mount);
    expect(made).toMatchObject(expected);
    if ("volume" in expected) expect(made?.volume).toEqual(expected.volume);
  });

  test.each([
    ["without a value", { subPathExpr: "$(NONE)/$(EMPTY)/$(POD)" }, "missing value for EMPTY, NONE"],
    ["that leads up", { subPathExpr: "a/../../b" }, "unable to provision SubPath `a/../../b`: must not contain '..'"],
    ["that leads up by a variable", { subPath: ".." }, "unable to provision SubPath `..`: must not contain '..'"],
    ["from the root", { subPathExpr: "/etc" }, "error SubPath `/etc` must not be an absolute path"],
  ])("refuse a subPath %s", async (_title, mount, message) => {
    await expect(one({ name: "scratch", ...mount })).rejects.toMatchObject({ name: "ConfigError", message });
  });
});

describe("the mount of a PersistentVolumeClaim", () => {
  /** Stands for the claim, and for the PersistentVolume that it is bound to. */
  const bound = {
    metadata: { uid: "both" },
    spec: { volumeName: "pv", capacity: { storage: "2Mi" }, claimRef: { uid: "both" } },
    status: { phase: "Bound" },
  };
  const sourceOf = (fields: object, claim: object = {}) =>
    mountSource({}, [{ name: "v", persistentVolumeClaim: { claimName: "c", ...claim } }], fields);
  const volume = { kind: "persistent", uid: "both", capacity: 2 * 1024 * 1024 };

  test.each([
    ["is writable", {}, { volume, readOnly: false }],
    ["is read-only where its volume is", { readOnly: true }, { volume, readOnly: true }],
  ])("%s", async (_title, claim, expected) => {
    expect(await volumeMounts({ volumeMounts: mountsAt(1) }, env, sourceOf(bound, claim))).toMatchObject([expected]);
  });

  test.each([
    ["is being deleted", { metadata: { uid: "both", deletionTimestamp: "now" } }, "PVC is being deleted"],
    ["is not bound", { status: { phase: "Lost" } }, "PVC is not bound"],
    ["names no volume", { spec: {} }, "PVC has empty pvc.Spec.VolumeName"],
    [
      "names a volume of no claim",
      { spec: { volumeName: "pv" } },
      "found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to a claim",
    ],
    [
      "is a block device",
      { spec: { ...bound.spec, volumeMode: "Block" } },
      "volume v has volumeMode Block, but is specified in volumeMounts",
    ],
  ])("waits while the claim %s, but a pod that already has it goes on", async (_title, fields, problem) => {
    const source = sourceOf({ ...bound, ...fields });
    await expect(volumeMounts({ volumeMounts: mountsAt(1) }, env, source)).rejects.toMatchObject({
      name: "VolumeError",
      message: expect.stringMatching(
        /^Unable to attach or mount volumes: unmounted volumes=\[v\], .*: error processing PVC default\/c: /,
      ),
    });
    await expect(volumeMounts({ volumeMounts: mountsAt(1) }, env, source)).rejects.toThrow(problem);
    const claimed = new Map();
    await volumeMounts({ volumeMounts: mountsAt(1) }, env, { ...sourceOf(bound), claimed });
    expect(await volumeMounts({ volumeMounts: mountsAt(1) }, env, { ...source, claimed })).toMatchObject([{ volume }]);
  });
});
