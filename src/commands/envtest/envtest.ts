import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { ownProgram } from "../../base/files/own-program.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import { emulationFlags, kubernetesVersionFlag, versionOptionsOf } from "../../cli/kubernetes-version-flag.js";
import type { Factory } from "../../cli/connect/factory.js";
import { componentHelp } from "../../component/component.js";
import { emulationOptions, type VersionOptions } from "../../component/apiserver-flags/emulation.js";
import { versionOptions } from "../../component/apiserver-flags/own.js";
import { argumentsOf } from "../../component/option-group.js";
import { etcdHelp } from "./etcd.js";

const FORMS = ["env", "path"];

export function envtestCommand(write = writeAssets): Command {
  return {
    use: "envtest [-p env|path] [--kubernetes-version=VERSION] [--emulated-version=VERSION]",
    description:
      "Print the folder of the programs that Go's envtest (sigs.k8s.io/controller-runtime/pkg/envtest) starts, as the command that sets KUBEBUILDER_ASSETS.\n\n" +
      "kube-apiserver and kubectl in it are kubets; etcd answers health checks, for the API server keeps its objects in memory. There is nothing to download. The folder is made on first use, below $KUBETS_HOME or the user's cache folder.",
    examples:
      "  # Run the tests of an operator\n" +
      '  eval "$({{program}} envtest)"\n' +
      "  go test ./...\n\n" +
      "  # In the Makefile of a project by kubebuilder\n" +
      '  KUBEBUILDER_ASSETS="$(shell {{program}} envtest -p path)" go test ./...',
    flags: [
      {
        name: "print",
        short: "p",
        type: "string",
        default: "env",
        usage: "What to print: env, a command for a shell, or path, the folder alone.",
      },
      kubernetesVersionFlag,
      ...emulationFlags,
    ],
    validateArgs: (invocation) => {
      const [operand] = invocation.args;
      if (operand !== undefined) throw usageError(invocation, `envtest takes no arguments, got ${operand}`);
    },
    execute: async (factory, invocation) => {
      const form = formOf(invocation);
      const folder = await write(factory, versionOptionsOf(invocation));
      factory.streams.out.write(form === "path" ? `${folder}\n` : `export KUBEBUILDER_ASSETS=${quoted(folder)}\n`);
    },
  };
}

function formOf(invocation: Invocation): string {
  const form = invocation.flags.string("print");
  if (FORMS.includes(form)) return form;
  throw usageError(invocation, `invalid value "${form}" for --print: use ${FORMS.join(" or ")}`);
}

async function writeAssets({ env, cwd, platform }: Factory, version: VersionOptions): Promise<string> {
  if (platform === "win32") {
    throw new Error("envtest needs a POSIX shell: run it, and the tests, in the Windows Subsystem for Linux");
  }
  const [{ makeAssets }, { standInComponent }] = await Promise.all([
    import("../../cluster/envtest/assets.js"),
    import("../../cluster/apiserver/component.js"),
  ]);
  return makeAssets({
    parent: join(cacheFolder(env, cwd, platform), "envtest"),
    program: ownProgram(process),
    versionFlags: argumentsOf({ ...versionOptions, ...emulationOptions }, version),
    help: { "kube-apiserver": componentHelp(standInComponent()), etcd: etcdHelp() },
  });
}

/** $KUBETS_HOME, else the folder that the platform has for what can be made again. */
function cacheFolder(env: Factory["env"], cwd: string, platform: NodeJS.Platform): string {
  if (env.KUBETS_HOME !== undefined && env.KUBETS_HOME !== "") return resolve(cwd, env.KUBETS_HOME);
  const home = env.HOME || homedir();
  if (platform === "darwin") return join(home, "Library", "Caches", "kubets");
  const given = env.XDG_CACHE_HOME ?? "";
  return join(isAbsolute(given) ? given : join(home, ".cache"), "kubets");
}

/** As one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
