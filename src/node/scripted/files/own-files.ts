import type { Clock } from "../../../base/time/clock.js";
import type { Random } from "../../../base/numbers/random.js";
import type { ContainerSpec } from "../../container-runtime.js";
import type { PodNetwork } from "../../network/pod-network.js";
import { resolvConf, resolverConfig } from "../../network/resolver-config.js";
import type { ScriptedImage } from "../image.js";
import { hostsFile } from "../network/hosts-file.js";
import { USUAL_PROGRAMS } from "../programs/index.js";
import type { FileSpace } from "./file-store.js";
import type { Program } from "../program.js";
import { FileSystem, normalPath } from "./file-system.js";

/** The parts from which the files of a container are made. */
export interface OwnFilesParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Left out: names are not looked up, and there is no /etc/resolv.conf. */
  readonly network?: PodNetwork;
  /** Programs beside the usual ones, by name. */
  readonly programs?: Readonly<Record<string, Program>>;
}

const CHUNK = 64 * 1024;

/** What an image has in its root. */
const FOLDERS =
  `/bin /etc /home /lib /media /mnt /opt /root /run /sbin /srv /tmp /usr/local/bin /usr/sbin /var/log /var/run`.split(
    " ",
  );

/** Makes the container's files without its volumes. */
export function ownFiles(
  spec: ContainerSpec,
  image: ScriptedImage,
  { clock, random, network, programs }: OwnFilesParts,
  space: FileSpace,
): FileSystem {
  const files = new FileSystem({ clock, space, ...(image.capacity !== undefined && { capacity: image.capacity }) });
  for (const folder of FOLDERS) files.makeDirectory(folder, { recursive: true });
  addProcFiles(files, spec);
  files.put("/etc/hostname", `${spec.pod.hostname}\n`);
  files.put("/etc/hosts", hostsFile(spec.pod));
  const { namespace, object: podOf } = spec.pod;
  if (network !== undefined)
    files.put("/etc/resolv.conf", resolvConf(resolverConfig(podOf?.().spec, namespace, network.dnsAddress)));
  files.mount("/dev/null", { read: () => [], write: () => {} });
  files.mount("/dev/zero", { read: () => endless(Buffer.alloc(CHUNK)), write: () => {} });
  files.mount("/dev/urandom", { read: () => endlessBytes(random), write: () => {} });
  if (image.shell !== false) {
    for (const [name, program] of Object.entries({ ...USUAL_PROGRAMS, ...programs })) {
      if (image.without?.includes(name) !== true) files.install(`/bin/${name}`, program);
    }
    files.symlink("/bin", "/usr/bin");
  }
  for (const [name, program] of Object.entries(image.programs ?? {})) {
    files.install(name.startsWith("/") ? name : `/usr/local/bin/${name}`, program);
  }
  for (const [path, content] of Object.entries(image.files ?? {})) {
    if (typeof content === "string" || content instanceof Uint8Array) files.put(path, content);
    else files.mount(path, content);
  }
  return files;
}

function* endless(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (;;) yield chunk;
}

function* endlessBytes(random: Random): Generator<Uint8Array, void, undefined> {
  for (;;) yield random.bytes(CHUNK);
}

/** What a container that is privileged may do, all of it, and what others may: masks of Linux's capabilities, as containerd gives them. */
const ALL_CAPABILITIES = 0x1ffffffffffn;
const USUAL_CAPABILITIES = 0xa80425fbn;

/** The part of /proc that people and scripts look at. It says how the container was started; /proc/self is its first process. */
function addProcFiles(files: FileSystem, spec: ContainerSpec): void {
  const add = (path: string, text: () => string): void =>
    files.mount(`/proc/${path}`, { size: 0, read: () => [Buffer.from(text())], write: () => {} });
  for (const path of ["mounts", "1/mounts"]) add(path, () => mountsOf(spec));
  add("1/cmdline", () => [...(spec.command ?? []), ...(spec.args ?? [])].map((word) => `${word}\0`).join(""));
  add("1/environ", () =>
    Object.entries(spec.env)
      .map(([name, value]) => `${name}=${value}\0`)
      .join(""),
  );
  add("1/status", () => statusOf(spec));
  add("cpuinfo", () => "processor\t: 0\nvendor_id\t: kubets\nmodel name\t: simulated node\n\n");
  add("meminfo", () => memoryOf(spec));
  add("version", () => "Linux version 6.1.0 (kubets) #1 SMP\n");
  files.symlink("1", "/proc/self");
}

function mountsOf({ mounts }: ContainerSpec): string {
  const lines = [
    "overlay / overlay rw,relatime 0 0",
    "proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0",
    "tmpfs /dev tmpfs rw,nosuid,size=65536k,mode=755 0 0",
    ...mounts.map(({ path, readOnly, volume }) => {
      const [device, type] = volume.kind === "files" ? ["tmpfs", "tmpfs"] : ["/dev/vda1", "ext4"];
      return `${device} ${normalPath("/", path)} ${type} ${readOnly ? "ro" : "rw"},relatime 0 0`;
    }),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function statusOf({ name, command, pod }: ContainerSpec): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.object?.().spec ?? {};
  const own = [...containers, ...initContainers, ...ephemeralContainers].find((one) => one.name === name);
  const isPrivileged = own?.securityContext?.privileged === true;
  const capabilities = (isPrivileged ? ALL_CAPABILITIES : USUAL_CAPABILITIES).toString(16).padStart(16, "0");
  const [program = "main"] = command ?? [];
  const lines = [
    ["Name", program.slice(program.lastIndexOf("/") + 1).slice(0, LONGEST_NAME)],
    ["State", "S (sleeping)"],
    ["Pid", "1"],
    ["PPid", "0"],
    ["Uid", "0\t0\t0\t0"],
    ["Gid", "0\t0\t0\t0"],
    ["Threads", "1"],
    ["CapInh", "0".repeat(capabilities.length)],
    ["CapPrm", capabilities],
    ["CapEff", capabilities],
    ["CapBnd", capabilities],
    ["CapAmb", "0".repeat(capabilities.length)],
  ];
  return lines.map(([key, value]) => `${key}:\t${value}\n`).join("");
}

/** Of a process, as Linux has it. */
const LONGEST_NAME = 15;

/** What the container may use, else what a node has. */
function memoryOf({ limits }: ContainerSpec): string {
  const kilobytes = String(Math.floor((limits?.().memoryBytes ?? NODE_MEMORY) / 1024)).padStart(8);
  return ["MemTotal", "MemFree", "MemAvailable"].map((key) => `${`${key}:`.padEnd(15)} ${kilobytes} kB\n`).join("");
}

const NODE_MEMORY = 16 * 1024 ** 3;
