import { dictionary } from "./base/collections/dictionary.js";
import { errorCode } from "./base/files/path-error.js";
import { errorMessage } from "./base/text/error-message.js";
import { rootNode } from "./cli/dispatch.js";
import { globalFlags } from "./cli/flags/global-flags.js";
import type { ProcessHosts } from "./client/transport/dial.js";
import { NetworkFailure } from "./client/transport/go-network-error.js";
import { root } from "./commands/root.js";
import { main } from "./main.js";
import type { KubectlCall } from "./node/scripted/programs/kubectl/kubectl.js";

/**
 * The commands that run in simulated containers, with all their subcommands or those that are named. The others read the machine's disk,
 * listen on its ports, start its programs, or are about processes that containers have not.
 */
const AVAILABLE: Readonly<Record<string, true | readonly string[]>> = dictionary({
  annotate: true,
  "api-resources": true,
  "api-versions": true,
  apply: ["view-last-applied", "set-last-applied"],
  attach: true,
  auth: true,
  autoscale: true,
  certificate: true,
  "cluster-info": [],
  config: true,
  cordon: true,
  create: true,
  delete: true,
  describe: true,
  drain: true,
  events: true,
  exec: true,
  explain: true,
  expose: true,
  get: true,
  help: true,
  kustomize: true,
  label: true,
  logs: true,
  options: true,
  patch: true,
  replace: true,
  rollout: true,
  run: true,
  scale: true,
  set: true,
  taint: true,
  top: true,
  uncordon: true,
  version: true,
  wait: true,
});

/**
 * Runs a command line of kubectl with the surroundings of a container. It reads nothing of this machine: no file, variable,
 * preference, plugin or cache; it starts no credential plugins and editors, and reaches no host but the one that `connect` allows.
 */
export async function runKubectl(call: KubectlCall): Promise<number> {
  const { argv, cwd, files, stdin, stdout, stderr, clock, random, signal } = call;
  const env = { ...call.env, HOME: call.env["HOME"] || "/root", PATH: "", KUBECTL_KUBERC: "false" };
  const refused = refusedCommand(argv, { program: PROGRAM, env, cwd, platform: "linux" });
  if (refused !== undefined) {
    stderr.write(`error: ${PROGRAM} ${refused} is not available in a simulated container\n`);
    return 1;
  }
  return main({
    argv,
    program: PROGRAM,
    streams: { in: stdin, out: stdout, err: stderr },
    env,
    cwd,
    files,
    hosts: hostsOf(call),
    pluginPolicy: { type: "DenyAll" },
    platform: "linux",
    clock,
    random,
    pid: call.pid,
    signal,
    runPlugin: (file) => notFound(file),
    runProgram: (file) => notFound(file),
  });
}

const PROGRAM = "kubectl";

/** The path of the command that a line names, where it does not run in containers. */
function refusedCommand(argv: readonly string[], host: Parameters<typeof rootNode>[1]): string | undefined {
  if (argv[0]?.startsWith("__complete") === true) return argv[0];
  const tree = rootNode(root, host, globalFlags(""));
  const found = tree.findChild(argv);
  if (found === undefined) return undefined;
  const { name } = found.entry;
  const available = AVAILABLE[name];
  if (available === undefined) return name;
  const below = tree.child(found.entry, found.name).findChild(found.argv);
  if (below === undefined || available === true || available.includes(below.entry.name)) return undefined;
  return `${name} ${below.entry.name}`;
}

/** Every connection goes to the container's network. */
const hostsOf = ({ connect }: KubectlCall): ProcessHosts => ({
  dial: () => undefined,
  egress: async ({ host, port }, signal) => {
    try {
      return await connect(host, port, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw new NetworkFailure(errorMessage(error), errorCode(error));
    }
  },
});

const notFound = (file: string): Promise<never> =>
  Promise.reject(Object.assign(new Error(`exec: ${file}: not found`), { code: "ENOENT" }));
