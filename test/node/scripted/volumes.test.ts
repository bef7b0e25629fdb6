import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { once } from "../../../src/base/async/once.js";
import type { Volume, VolumeMount } from "../../../src/node/container-runtime.js";
import { serverLimits } from "../../../src/node/scripted/limits/server-limits.js";
import { KeptVolumes } from "../../../src/node/scripted/volumes/kept-volumes.js";
import { type ScriptedContainer, scriptedRuntime, scriptedSpec, startIn } from "../../helpers/scripted-container.js";

const MIB = 1024 * 1024;
const CONFIG: Volume = {
  kind: "files",
  files: async () =>
    new Map([
      ["app.conf", { content: Buffer.from("port=80\n"), mode: 0o640 }],
      ["sub/inner", { content: Buffer.from("inner\n"), mode: 0o755 }],
    ]),
};
const SCRATCH: Volume = { kind: "pod" };

const at = (path: string, volume: Volume = SCRATCH, more: Partial<VolumeMount> = {}): VolumeMount => ({
  name: "v",
  path,
  subPath: "",
  readOnly: volume.kind === "files",
  volume,
  ...more,
});

const podNamed = (uid: string) => ({ ...scriptedSpec.pod, uid });
/** Another container of the same pod, or one of another pod. */
const mounting = (
  { runtime }: Pick<ScriptedContainer, "runtime">,
  mounts: readonly VolumeMount[],
  uid = "pod-uid",
): Promise<ScriptedContainer> => startIn(runtime, { mounts, pod: podNamed(uid) });
const started = (...mounts: readonly VolumeMount[]) => mounting({ runtime: scriptedRuntime() }, mounts);

const isGone = (path: string) => `test -e ${path} && echo there || echo gone`;

describe("an emptyDir of a scripted pod", () => {
  test("is a folder that all containers of the pod share, and no other pod", async () => {
    const first = await started(at("/data"));
    expect(await first.sh("test -d /data && stat -c %a /data; echo one > /data/a; mkdir /data/b")).toMatchObject({
      stdout: "777\n",
      stderr: "",
    });
    const second = await mounting(first, [at("/else")]);
    expect((await second.sh("cat /else/a; ls /else; echo two >> /else/a")).stdout).toBe("one\na\nb\n");
    expect((await first.sh("cat /data/a")).stdout).toBe("one\ntwo\n");
    const foreign = await mounting(first, [at("/data")], "other-uid");
    expect((await foreign.sh("ls /data")).stdout).toBe("");
  });

  test("outlives its containers, and is deleted with the pod", async () => {
    const first = await started(at("/data"));
    const { runtime } = first;
    await first.sh("echo kept > /data/a");
    await runtime.signal(first.started.id, "SIGKILL");
    await first.started.exited;
    await runtime.remove(first.started.id);
    const second = await mounting(first, [at("/data")]);
    expect((await second.sh("cat /data/a")).stdout).toBe("kept\n");
    expect(runtime.volumeBytes("pod-uid", "v")).toBeGreaterThan(5);
    await runtime.stopPod("pod-uid");
    expect(runtime.volumeBytes("pod-uid", "v")).toBeUndefined();
    expect((await second.sh("ls /data; echo x > /data/b")).stderr).toContain("cannot create /data/b");
    const third = await mounting(first, [at("/data")]);
    expect((await third.sh("ls /data")).stdout).toBe("");
  });

  test("has the same files at two mounts of a container, and at a mount within it", async () => {
    const { sh } = await started(at("/a"), at("/b"), at("/a/deep/conf", CONFIG));
    expect((await sh("echo x > /a/f; cat /b/f; ls /a /a/deep /b/deep/conf; cat /a/deep/conf/app.conf")).stdout).toBe(
      "x\n/a:\ndeep\nf\n\n/a/deep:\nconf\n\n/b/deep/conf:\nport=80\n",
    );
  });

  test("takes no memory before a program opens it", async () => {
    const limits = serverLimits();
    const runtime = scriptedRuntime({ limits });
    await startIn(runtime, { mounts: [at("/data")] });
    expect([runtime.volumeBytes("pod-uid", "v"), limits.users.size, limits.files.used]).toEqual([undefined, 1, 0]);
  });

  test("frees the bytes of removed files, also of those still being written", async () => {
    const limits = serverLimits();
    const { runtime, sh, started: main } = await startIn(scriptedRuntime({ limits }), { mounts: [at("/data")] });
    await sh("ls /data");
    const before = limits.files.used;
    await sh(
      "head -c 1M /dev/zero > /data/a; mkdir -p /data/b/c; cp /data/a /data/b/c; mv /data/a /data/b; rm -r /data/b",
    );
    expect(limits.files.used).toBe(before);
    await sh("exec 3>/data/a; rm /data/a; head -c 1M /dev/zero >&3");
    expect(runtime.volumeBytes("pod-uid", "v")).toBe(0);
    await runtime.signal(main.id, "SIGKILL");
    await main.exited;
    expect(limits.files.used).toBe(0);
  });

  test("with medium Memory is full at its size", async () => {
    const { sh } = await started(at("/data", { kind: "pod", capacity: MIB }));
    expect(await sh("head -c 2M /dev/zero > /data/a; head -c 1k /dev/zero > /tmp/a && echo other")).toMatchObject({
      stdout: "other\n",
      stderr: expect.stringContaining("No space left on device"),
    });
  });

  test("causes the pod's eviction when it exceeds the server's limit of files", async () => {
    const runtime = scriptedRuntime({ limits: serverLimits({ files: 4 * MIB }) });
    const greedy = await startIn(runtime, { mounts: [at("/data")], pod: podNamed("greedy") });
    await greedy.sh("head -c 3M /dev/zero > /data/a");
    const other = await startIn(runtime, { pod: podNamed("other") });
    expect((await other.sh("head -c 2M /dev/zero > /tmp/a; wc -c < /tmp/a")).stdout).toBe("2097152\n");
    const { eviction } = await greedy.started.exited;
    expect(eviction).toMatch(
      /^The node was low on resource: ephemeral-storage. Container c was using 307[2-9]Ki, request is 0/,
    );
  });
});

test("when files exceed the limit while no container runs, the pod with the largest emptyDir ends at its next start", async () => {
  const runtime = scriptedRuntime({ limits: serverLimits({ files: 4 * MIB }) });
  const greedy = { mounts: [at("/data")], pod: podNamed("greedy") };
  const first = await startIn(runtime, greedy);
  await first.sh("head -c 3M /dev/zero > /data/a");
  await runtime.signal(first.started.id, "SIGKILL");
  await first.started.exited;
  const other = await startIn(runtime, { pod: podNamed("other") });
  expect((await other.sh("head -c 2M /dev/zero > /tmp/a; wc -c < /tmp/a")).stdout).toBe("2097152\n");
  const second = await startIn(runtime, greedy);
  expect((await second.started.exited).eviction).toContain("low on resource: ephemeral-storage");
});

describe("a PersistentVolume of scripted pods", () => {
  const persistent = (uid: string, capacity = MIB): Volume => ({ kind: "persistent", uid, capacity });
  const nodes = (limits = serverLimits()) => {
    const volumes = new KeptVolumes({ clock: systemClock, limits });
    const node = (name: string) => ({ runtime: scriptedRuntime({ limits, volumes: volumes.ofNode(name) }) });
    return { limits, volumes, one: node("one"), two: node("two") };
  };

  test("keeps its files for later pods, on every node, but not for a volume with another uid", async () => {
    const { one, two, volumes } = nodes();
    const writer = await mounting(one, [at("/data", persistent("pv-1"))]);
    await writer.sh("echo kept > /data/a");
    await writer.runtime.signal(writer.started.id, "SIGKILL");
    await writer.started.exited;
    await writer.runtime.stopPod("pod-uid");
    const reader = await mounting(two, [at("/data", persistent("pv-1")), at("/other", persistent("pv-2"))], "later");
    expect((await reader.sh("cat /data/a; ls /other")).stdout).toBe("kept\n");
    expect(volumes.uids).toEqual(["pv-1", "pv-2"]);
  });

  test("is full at its capacity, until it is expanded or a file is removed", async () => {
    const { one, volumes } = nodes();
    const { sh } = await mounting(one, [at("/data", persistent("pv"))]);
    const write = (name: string) => sh(`head -c 700k /dev/zero > /data/${name} && echo done`);
    expect((await write("a")).stdout).toBe("done\n");
    expect((await write("b")).stderr).toContain("No space left on device");
    await sh("rm /data/*");
    expect((await write("b")).stdout).toBe("done\n");
    volumes.resize("pv", 2 * MIB);
    expect((await write("c")).stdout).toBe("done\n");
  });

  test("frees its bytes when it is deleted, and accepts no more", async () => {
    const { one, volumes, limits } = nodes();
    const { sh } = await mounting(one, [at("/data", persistent("pv"))]);
    await sh("head -c 100k /dev/zero > /data/a");
    expect(limits.volumes.used).toBeGreaterThan(100 * 1024);
    volumes.drop("pv");
    expect(limits.volumes.used).toBe(0);
    expect((await sh("ls /data; mkdir /data/b")).stderr).toContain("No such file or directory");
    expect(limits.volumes.used).toBe(0);
  });

  test("uses no space of containers: all volumes together have a limit of their own", async () => {
    const { one } = nodes(serverLimits({ volumes: MIB, files: 4 * MIB }));
    const first = await mounting(one, [at("/data", persistent("pv-1", 10 * MIB))]);
    const second = await mounting(one, [at("/data", persistent("pv-2", 10 * MIB))], "second");
    await first.sh("head -c 1000k /dev/zero > /data/a");
    const { stdout, stderr } = await second.sh(
      "head -c 100k /dev/zero > /data/a; head -c 2M /dev/zero > /tmp/a && echo own",
    );
    expect(stderr).toContain("No space left on device");
    expect(stdout).toBe("own\n");
    expect((await first.sh("wc -c < /data/a")).stdout).toBe("1024000\n");
  });
});

describe("a hostPath of scripted pods", () => {
  const host = (path: string, type = ""): Volume => ({ kind: "host", path, type });

  test("is a folder of the simulated node that its pods share, and never the machine's", async () => {
    const first = await started(at("/host", host("/")), at("/log", host("/var/log")));
    expect((await first.sh("find /host; echo x > /log/a; cat /host/var/log/a")).stdout).toBe(
      "/host\n/host/var\n/host/var/log\nx\n",
    );
    const other = await mounting(first, [at("/log", host("/var/log/../log/"))], "other");
    expect((await other.sh("cat /log/a")).stdout).toBe("x\n");
    const elsewhere = await started(at("/etc-of-host", host("/etc", "Directory")));
    expect((await elsewhere.sh("ls /etc-of-host")).stdout).toBe("");
  });

  test.each([
    ["File", "/etc/machine-id", "-f"],
    ["FileOrCreate", "/run/xtables.lock", "-f"],
    ["Socket", "/run/containerd/containerd.sock", "-f"],
    ["Directory", "/lib/modules", "-d"],
    ["DirectoryOrCreate", "/opt/cni/bin", "-d"],
  ])("of the type %s exists, and is empty", async (type, path, test) => {
    const { sh } = await started(at("/there", host(path, type)));
    expect((await sh(`test ${test} /there && test ! -s /there/x && echo yes`)).stdout).toBe("yes\n");
  });

  test("of another type than the existing one is refused in the kubelet's words", async () => {
    const node = await started(at("/file", host("/run/lock", "FileOrCreate")), at("/log", host("/var/log")));
    await expect(mounting(node, [at("/x", host("/run/lock", "Directory"))])).rejects.toMatchObject({
      reason: "FailedMount",
      message: 'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /run/lock is not a directory',
    });
    await expect(mounting(node, [at("/x", host("/var/log", "File"))])).rejects.toThrow("/var/log is not a file");
    await expect(mounting(node, [at("/x", host("/run/lock/below"))])).rejects.toThrow(": not a directory");
  });
});

describe("a subPath of a scripted pod's volume", () => {
  test("is a folder, created when missing, or a file", async () => {
    const first = await started(at("/all"), at("/part", SCRATCH, { subPath: "a/b" }));
    expect((await first.sh("ls /all/a; echo x > /part/f; cat /all/a/b/f")).stdout).toBe("b\nx\n");
    const second = await mounting(first, [at("/etc/f", SCRATCH, { subPath: "a/b/f" })]);
    expect((await second.sh("cat /etc/f; echo y >> /etc/f")).stdout).toBe("x\n");
    expect((await first.sh("cat /part/f")).stdout).toBe("x\ny\n");
  });

  test("of a ConfigMap is one file in a folder with other files", async () => {
    const mounts = [
      at("/etc/app.conf", CONFIG, { subPath: "app.conf" }),
      at("/inner", CONFIG, { subPath: "sub" }),
      at("/none", CONFIG, { subPath: "nothing" }),
    ];
    const { sh } = await started(...mounts);
    expect((await sh("cat /etc/app.conf; test -e /etc/hostname && echo too; ls /inner /none")).stdout).toBe(
      "port=80\ntoo\n/inner:\ninner\n\n/none:\n",
    );
  });

  test("cannot leave the volume by symbolic links", async () => {
    const first = await started(at("/data"));
    await first.sh(
      "ln -s /etc /data/etc; ln -s ../../.. /data/up; mkdir -p /data/real; ln -s real /data/link; touch /data/file",
    );
    const second = await mounting(first, [
      at("/etc-of-volume", SCRATCH, { subPath: "up/etc-new" }),
      at("/link", SCRATCH, { subPath: "link" }),
    ]);
    expect((await second.sh("ls /etc-of-volume; echo x > /link/f")).stdout).toBe("");
    expect((await first.sh("ls /data/real /data")).stdout).toContain("etc-new");
    await expect(mounting(first, [at("/x", SCRATCH, { subPath: "file/below" })])).rejects.toMatchObject({
      reason: "CreateContainerConfigError",
      message: 'failed to create subPath directory for volumeMount "v" of container "c"',
    });
    await expect(mounting(first, [at("/x", SCRATCH, { subPath: "etc/x" })])).rejects.toThrow(
      "failed to create subPath",
    );
  });
});

describe("a read-only mount in a scripted container", () => {
  /** Two containers of a pod: one that writes at /data, and one that reads at /ro. */
  const writerAndReader = once(async () => {
    const writer = await started(at("/data"));
    await writer.sh("echo a > /data/f; mkdir -p /data/d/e");
    return { writer, reader: await mounting(writer, [at("/ro", SCRATCH, { readOnly: true })]) };
  });

  test.each([
    ["echo x > /ro/f", "sh: 1: cannot create /ro/f: Read-only file system\n"],
    ["echo x >> /ro/new", "sh: 1: cannot create /ro/new: Read-only file system\n"],
    ["touch /ro/f", "touch: cannot touch '/ro/f': Read-only file system\n"],
    ["mkdir /ro/new", "mkdir: cannot create directory '/ro/new': Read-only file system\n"],
    ["rm /ro/f", "rm: cannot remove '/ro/f': Read-only file system\n"],
    ["rm -rf /ro/d", "rm: cannot remove '/ro/d': Read-only file system\n"],
    ["rmdir /ro/d/e", "rmdir: failed to remove '/ro/d/e': Read-only file system\n"],
    ["mv /ro/f /tmp", "mv: cannot move '/ro/f' to '/tmp': Read-only file system\n"],
    ["mv /etc/hostname /ro", "mv: cannot move '/etc/hostname' to '/ro': Read-only file system\n"],
    ["mv /ro/f /ro/g", "mv: cannot move '/ro/f' to '/ro/g': Read-only file system\n"],
    ["ln -s x /ro/l", "ln: failed to create symbolic link '/ro/l': Read-only file system\n"],
    ["chmod 777 /ro/f", "chmod: changing permissions of '/ro/f': Read-only file system\n"],
    ["chown -R 1 /ro", "chown: changing ownership of '/ro': Read-only file system\n"],
    ["chgrp 1 /ro/f", "chgrp: changing group of '/ro/f': Read-only file system\n"],
    ["sed -i s/a/b/ /ro/f", /^sed: .*Read-only file system\n$/],
    ["truncate -s 0 /ro/f", "truncate: cannot open '/ro/f' for writing: Read-only file system\n"],
    ["echo x | tee /ro/f > /tmp/t", /^tee: .*Read-only file system\n$/],
    ["gzip /ro/f", /Read-only file system\n$/],
    ["mktemp /ro/XXXXXX", /Read-only file system\n$/],
    ["cd /; tar cf - etc/hostname | tar xf - -C /ro", /^tar: etc\/hostname: Cannot open: Read-only file system\n/],
    ["find /ro -name f -delete", "find: cannot delete '/ro/f': Read-only file system\n"],
    ["awk 'BEGIN { print 1 > \"/ro/f\" }'", /Read-only file system/],
    ["sort -o /ro/f /etc/hosts", /Read-only file system\n$/],
  ])("refuses: %s", async (script, stderr) => {
    const { writer, reader } = await writerAndReader();
    const { runtime } = writer;
    const before = runtime.volumeBytes("pod-uid", "v");
    const answer = await reader.sh(script);
    if (typeof stderr === "string") expect(answer.stderr).toBe(stderr);
    else expect(answer.stderr).toMatch(stderr);
    expect((await reader.sh("cat /ro/f; ls /ro; stat -c '%a' /ro/f; test -e /etc/hostname && echo there")).stdout).toBe(
      "a\nd\nf\n644\nthere\n",
    );
    expect(runtime.volumeBytes("pod-uid", "v")).toBe(before);
  });

  test("shows what others write, and is not writable for the shell's test -w", async () => {
    const { runtime, sh } = await started(at("/data"));
    const reader = await mounting({ runtime }, [
      at("/ro", SCRATCH, { readOnly: true }),
      at("/ro/in", { kind: "host", path: "/x", type: "" }),
    ]);
    await sh("echo a > /data/f");
    const script =
      "cat /ro/f; for i in /ro /ro/f /ro/in; do [ -w $i ] && echo $i; [[ -w $i ]] || echo no $i; done; find /ro -writable";
    expect((await reader.sh(script)).stdout).toBe("a\nno /ro\nno /ro/f\n/ro/in\n/ro/in\n");
  });

  test("exists for a ConfigMap, with the modes of its files", async () => {
    const { sh } = await started(at("/conf", CONFIG));
    expect(
      await sh("stat -c '%a %n' /conf/app.conf /conf/sub/inner; cat /conf/sub/inner; echo x > /conf/app.conf"),
    ).toMatchObject({
      stdout: "640 /conf/app.conf\n755 /conf/sub/inner\ninner\n",
      stderr: "sh: 1: cannot create /conf/app.conf: Read-only file system\n",
    });
  });
});

describe("mounts within other mounts of a scripted container", () => {
  test("show the deeper one, in whatever order the pod lists them", async () => {
    for (const order of [0, 1]) {
      const mounts = [at("/data/sub", CONFIG, { name: "c" }), at("/data")];
      const { sh } = await started(...(order === 0 ? mounts : mounts.toReversed()));
      expect((await sh("ls /data /data/sub; find /data | sort; echo /data/*/*; grep -r port /data")).stdout).toBe(
        "/data:\nsub\n\n/data/sub:\napp.conf\nsub\n/data\n/data/sub\n/data/sub/app.conf\n/data/sub/sub\n/data/sub/sub/inner\n" +
          "/data/sub/app.conf /data/sub/sub\n/data/sub/app.conf:port=80\n",
      );
    }
  });

  test("are copied, archived and compared with their content", async () => {
    const { sh } = await started(at("/data"), at("/data/sub", CONFIG, { name: "c" }));
    expect(
      (
        await sh(
          "cp -r /data /tmp/copy; diff -r /data /tmp/copy && cat /tmp/copy/sub/app.conf; tar cf - /data 2>/dev/null | tar tf -",
        )
      ).stdout,
    ).toBe("port=80\ndata/\ndata/sub/\ndata/sub/app.conf\ndata/sub/sub/\ndata/sub/sub/inner\n");
  });

  test("do not appear in another container that mounts the outer volume alone", async () => {
    const first = await started(at("/data"), at("/data/sub", CONFIG, { name: "c" }));
    await first.sh("ls /data");
    const second = await mounting(first, [at("/data")]);
    expect((await second.sh("find /data; echo x > /data/sub/own; ls /data/sub")).stdout).toBe(
      "/data\n/data/sub\nown\n",
    );
    expect((await first.sh("ls /data/sub")).stdout).toBe("app.conf\nsub\n");
  });
});

describe("a mount point in a scripted container", () => {
  test.each([
    ["rm -rf /data", "rm: cannot remove '/data': Device or resource busy\n"],
    ["rm -rf /data/", "rm: cannot remove '/data/': Device or resource busy\n"],
    ["rm -rf /var", "rm: cannot remove '/var': Device or resource busy\n"],
    ["rmdir /data", "rmdir: failed to remove '/data': Device or resource busy\n"],
    ["mv /data /else", "mv: cannot move '/data' to '/else': Device or resource busy\n"],
    ["rm /etc/app.conf", /Read-only|busy/],
  ])("cannot be removed: %s", async (script, stderr) => {
    const { sh } = await started(
      at("/data"),
      at("/var/lib/x"),
      at("/etc/app.conf", CONFIG, { subPath: "app.conf", name: "c" }),
    );
    await sh("touch /data/a");
    expect((await sh(script)).stderr).toMatch(stderr);
    expect((await sh("test -d /data && test -d /var/lib/x && test -f /etc/app.conf && echo there")).stdout).toBe(
      "there\n",
    );
  });

  test("is empty after rm -rf, and so are files beside it", async () => {
    const { sh } = await started(
      at("/data"),
      at("/data/in", SCRATCH, { name: "w" }),
      at("/conf", CONFIG, { name: "c" }),
    );
    await sh("mkdir -p /data/a/b /data/in/c; touch /data/f; rm -rf /data");
    expect((await sh("find /data; cat /conf/app.conf")).stdout).toBe("/data\n/data/in\nport=80\n");
  });

  test("exchanges files by mv as copies, with their times and modes", async () => {
    const { sh } = await started(at("/data"));
    await sh(
      "mkdir -p /tmp/d/e; echo x > /tmp/d/e/f; chmod 750 /tmp/d/e/f; touch /tmp/g; ln -s f /tmp/d/e/l; mv /tmp/d /tmp/g /data",
    );
    expect(
      (
        await sh(
          `stat -c '%a %n' /data/d/e/f; readlink /data/d/e/l; ${isGone("/tmp/d")}; mv /data/d/e/f /tmp; cat /tmp/f; ${isGone("/data/d/e/f")}`,
        )
      ).stdout,
    ).toBe("750 /data/d/e/f\nf\ngone\nx\ngone\n");
  });

  test("is refused at the root, and where volume and mount point are a file and a folder", async () => {
    await expect(started(at("/./"))).rejects.toMatchObject({ reason: "CreateContainerError" });
    const { sh } = await started(at("/etc/hostname"));
    await expect(sh("true")).rejects.toMatchObject({ name: "RuntimeError", reason: "ExecError" });
  });
});

test("two scripted programs that open a new file at once create it once", async () => {
  const usedBy = async (scripts: readonly string[]) => {
    const limits = serverLimits();
    const { sh } = await startIn(scriptedRuntime({ limits }), { mounts: [at("/conf", CONFIG)] });
    await Promise.all(scripts.map((script) => sh(script)));
    return limits.files.used;
  };
  expect(await usedBy(["true", "true", "true"])).toBe(await usedBy(["true"]));
});

test("a program that an init container copies into a volume runs in another container", async () => {
  const { runtime } = await started();
  const init = await startIn(runtime, { mounts: [at("/tools")] });
  await init.sh("cp /bin/echo /tools/say");
  const main = await startIn(runtime, { mounts: [at("/tools")] });
  expect((await main.exec(["/tools/say", "hello"])).stdout).toBe("hello\n");
});
