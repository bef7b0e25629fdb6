import { createHash } from "node:crypto";
import { chmod, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeOwnFolder } from "../../base/files/private-files.js";

export interface AssetsOptions {
  /** The folder that the folder of programs is made in. */
  readonly parent: string;
  /** The words that start kubets. */
  readonly program: readonly string[];
  /** The flags that say which version of Kubernetes kube-apiserver is: "--kubernetes-version=1.36". Empty: the default. */
  readonly versionFlags: readonly string[];
  /** What `--help` prints, by the name of the program. envtest reads it at each start: the shell answers it in a millisecond. */
  readonly help: { readonly "kube-apiserver": string; readonly etcd: string };
}

/**
 * Makes the folder with kube-apiserver, etcd and kubectl that start kubets, and resolves with its path. Each installation of
 * kubets has one. A program that is up to date is not touched, because tests may be starting it.
 */
export async function makeAssets({ parent, program, versionFlags, help }: AssetsOptions): Promise<string> {
  const installation = createHash("sha256").update(program.join("\0")).digest("hex").slice(0, 12);
  // Tests of several versions may run at once.
  const folder = join(parent, [installation, ...versionFlags.map((flag) => flag.slice("--".length))].join("-"));
  // Whoever could write to one of these folders would choose what the tests run.
  makeOwnFolder(folder, 0o755);
  makeOwnFolder(join(folder, "compiled"));
  await Promise.all([setMode(folder, 0o755), setMode(join(folder, "compiled"), 0o700)]);
  await Promise.all([
    keep(
      join(folder, "kube-apiserver"),
      roleShim(["kube-apiserver", ...versionFlags], program, help["kube-apiserver"], folder),
    ),
    keep(join(folder, "etcd"), roleShim(["etcd"], program, help.etcd, folder)),
    keep(join(folder, "kubectl"), shim(["export KUBETS_PROGRAM=kubectl", `exec ${words(program)} "$@"`])),
  ]);
  return folder;
}

/** A test waits for each start, so Node keeps the compiled code in the folder: it does so from version 22 on. */
function roleShim(role: readonly string[], program: readonly string[], help: string, folder: string): string {
  return shim([
    `if [ "$*" = --help ]; then exec cat <<'END_OF_HELP'`,
    `${help}END_OF_HELP`,
    "fi",
    "export KUBECTL_KUBERC=false",
    `export NODE_COMPILE_CACHE=${word(join(folder, "compiled"))}`,
    `exec ${words(program)} envtest ${role.join(" ")} "$@"`,
  ]);
}

const shim = (lines: readonly string[]): string => `#!/bin/sh\n# Made by: kubets envtest\n${lines.join("\n")}\n`;

async function keep(path: string, text: string): Promise<void> {
  const kept = await readFile(path, "utf8").catch(() => undefined);
  if (kept === text) return await setMode(path, 0o755);
  // Whole or not at all: a test may start it at any time.
  const whole = `${path}.${process.pid}.new`;
  await writeFile(whole, text, { mode: 0o755 });
  await chmod(whole, 0o755);
  await rename(whole, path);
}

/** Of what an earlier version made under a umask that left it open. A folder of another user keeps its mode. */
async function setMode(path: string, mode: number): Promise<void> {
  if (((await stat(path)).mode & 0o777) !== mode) await chmod(path, mode).catch(() => undefined);
}

const words = (all: readonly string[]): string => all.map(word).join(" ");

const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
