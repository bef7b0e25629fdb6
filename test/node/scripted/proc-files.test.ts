import { describe, expect, test } from "vitest";
import type { Pod } from "../../../src/api/types/core/v1.js";
import { scriptedSpec, startScripted } from "../../helpers/scripted-container.js";

describe("/proc of a scripted container", () => {
  test("lists its mounts", async () => {
    const volume = { kind: "files", files: async () => new Map() } as never;
    const mounts = [{ name: "config", path: "/config/", subPath: "", readOnly: true, volume }];
    const { sh } = await startScripted({}, { mounts });
    expect(
      (await sh("cat /proc/mounts; cmp /proc/mounts /proc/self/mounts && grep -c overlay /proc/1/mounts")).stdout,
    ).toBe(
      `overlay / overlay rw,relatime 0 0
proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0
tmpfs /dev tmpfs rw,nosuid,size=65536k,mode=755 0 0
tmpfs /config tmpfs ro,relatime 0 0
1
`,
    );
  });

  test.each([
    [true, "CapEff:\t000001ffffffffff\n"],
    [false, "CapEff:\t00000000a80425fb\n"],
  ])("lists its capabilities: privileged %s", async (privileged, line) => {
    const pod = { spec: { containers: [{ name: "c", securityContext: { privileged } }] } } as unknown as Pod;
    const { sh } = await startScripted({}, { pod: { ...scriptedSpec.pod, object: () => pod } });
    expect((await sh("grep CapEff /proc/1/status")).stdout).toBe(line);
  });

  test("lists its command, its environment and its memory", async () => {
    const spec = { command: ["sleep", "1000"], env: { A: "b" }, limits: () => ({ memoryBytes: 64 * 1024 * 1024 }) };
    const { sh } = await startScripted({}, spec);
    expect(
      (await sh("tr '\\0' ' ' < /proc/1/cmdline; tr '\\0' ';' < /proc/1/environ; grep MemTotal /proc/meminfo")).stdout,
    ).toBe("sleep 1000 A=b;MemTotal:          65536 kB\n");
  });
});
