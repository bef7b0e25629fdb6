import type { ContainerSpec } from "../../container-runtime.js";
import { normalPath, type FileSystem } from "./file-system.js";

/** What a container that is privileged may do, all of it, and what others may: masks of Linux's capabilities, as containerd gives them. */
const ALL_CAPABILITIES = 0x1ffffffffffn;
const USUAL_CAPABILITIES = 0xa80425fbn;

/** The part of /proc that people and scripts look at. It says how the container was started; /proc/self is its first process. */
export function addProcFiles(files: FileSystem, spec: ContainerSpec): void {
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
