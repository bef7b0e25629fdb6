import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import { goQuote } from "../../base/text/go-quote.js";
import { requireType, loadTypedKinds, type TypedKinds } from "../../actions/typed/typed-object.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { lookOf } from "../../cli/terminal/colour.js";
import type { Invocation } from "../../cli/command.js";
import { sessionHost } from "../../cli/container-session/container-command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { pairsOf, pairsOfType } from "../../component/flags/pairs.js";
import type { Flags, FlagSpec } from "../../component/flags/flag-set.js";
import { warnTo } from "../../cli/warn.js";
import { isImageReference } from "../../polymorphic-helpers/image-reference.js";
import type { CopyRequest } from "./debugging-pods.js";
import { type CustomProfile, parseCustomProfile, debugProfile } from "./profiles.js";
import type { DebugCommandOptions } from "./debug.js";

/** Turns the command line into options; what is wrong is reported in kubectl's order. */
export async function complete(factory: Factory, invocation: Invocation): Promise<DebugCommandOptions> {
  const { flags, args, argsLenAtDash, signal } = invocation;
  const afterDash = argsLenAtDash >= 0 && args.length > argsLenAtDash;
  const targets = afterDash ? args.slice(0, argsLenAtDash) : args;
  const env = [...pairsOf(flags.strings("env"))].map(([name, value]) => ({ name, value }));
  const setImages = pairsOf(flags.strings("set-image"));
  const { namespace, enforced } = await factory.namespace();
  const profile = flags.string("profile");
  debugProfile(profile);
  const kinds = await loadTypedKinds({ retired: true });
  const file = flags.string("custom");
  const custom = file === "" ? undefined : await readCustom(file, factory.cwd, kinds);
  const request: CopyRequest = {
    container: flags.string("container"),
    image: flags.string("image"),
    args: afterDash ? args.slice(argsLenAtDash) : [],
    argumentsOnly: flags.bool("arguments-only"),
    env,
    pullPolicy: flags.string("image-pull-policy"),
    stdin: flags.bool("stdin"),
    tty: flags.bool("tty"),
    profile,
    keep: {
      labels: flags.bool("keep-labels"),
      annotations: flags.bool("keep-annotations"),
      liveness: flags.bool("keep-liveness"),
      readiness: flags.bool("keep-readiness"),
      startup: flags.bool("keep-startup"),
      initContainers: flags.bool("keep-init-containers"),
    },
    custom: custom?.container,
    copyTo: flags.string("copy-to"),
    sameNode: flags.bool("same-node"),
    shareProcesses: flags.changed("share-processes") ? flags.bool("share-processes") : undefined,
    setImages,
  };
  const host = await sessionHost(factory, signal);
  validate(flags, targets, request, (line) => void factory.streams.out.write(line));
  custom?.check();
  if (profile === "legacy") {
    factory.streams.err.write(
      '--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, for example "--profile=general".\n',
    );
  }
  const filenames = flags.strings("filename");
  return {
    ...host,
    find: async () => {
      const builder = (await factory.builder())
        .decode((object) => readTyped(object, kinds))
        .checkEach(requireType)
        .filenames(enforced, { filenames, recursive: false })
        .namespaceParam(namespace)
        .defaultNamespace();
      if (targets.length > 0) builder.resourceNames("pods", targets);
      return builder.do();
    },
    request,
    target: flags.string("target"),
    replace: flags.bool("replace"),
    attach: flags.changed("attach") ? flags.bool("attach") : request.stdin,
    quiet: flags.bool("quiet"),
    namespace,
    kinds,
    random: factory.random,
    warn: warnTo(factory.streams, factory.colours),
    look: await lookOf(factory.streams.err, factory.colours),
    verbose: (await factory.log()) !== undefined,
    commandName: `${factory.program} attach`,
  };
}

async function readCustom(file: string, cwd: string, kinds: TypedKinds): Promise<CustomProfile> {
  let content: string;
  try {
    content = await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    const { message } = new PathError("open", file, error);
    throw new Error(`must pass a container spec json file for custom profile: ${message}`, { cause: error });
  }
  return parseCustomProfile(file, content, kinds);
}

const INVALID_REFERENCE = "invalid reference format";
const PULL_POLICIES = ["", "Always", "IfNotPresent", "Never"];

function validate(flags: Flags, targets: readonly string[], request: CopyRequest, print: (line: string) => void): void {
  const { image, container, args, copyTo, setImages, pullPolicy } = request;
  if (flags.bool("attach") && flags.changed("attach") && image === "" && container === "") {
    throw new Error("you must specify --container or create a new container using --image in order to attach.");
  }
  if (copyTo === "") {
    for (const name of ["replace", "same-node"]) {
      if (flags.bool(name)) throw new Error(`--${name} may only be used with --copy-to.`);
    }
    if (setImages.size > 0) throw new Error("--set-image may only be used with --copy-to.");
    if (image === "") throw new Error("you must specify --image when not using --copy-to.");
  } else {
    if (image === "" && setImages.size === 0 && args.length === 0) {
      throw new Error("you must specify --image, --set-image or command arguments.");
    }
    if (args.length > 0 && container === "" && image === "") {
      throw new Error("you must specify an existing container or a new image when specifying args.");
    }
  }
  if (image !== "" && !isImageReference(image)) {
    throw new Error(`invalid image name ${goQuote(image)}: ${INVALID_REFERENCE}`);
  }
  if (targets.length === 0 && flags.strings("filename").length === 0) {
    throw new Error("NAME or filename is required for debug");
  }
  if (!PULL_POLICIES.includes(pullPolicy)) throw new Error(`invalid image pull policy: ${pullPolicy}`);
  for (const [name, wanted] of setImages) {
    if (!isImageReference(wanted)) {
      throw new Error(`invalid image name ${goQuote(wanted)} for container ${goQuote(name)}: ${INVALID_REFERENCE}`);
    }
  }
  const target = flags.string("target");
  if (target !== "") {
    if (copyTo !== "") throw new Error("--target is incompatible with --copy-to. Use --share-processes instead.");
    if (!flags.bool("quiet")) {
      print(
        `Targeting container ${goQuote(target)}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n`,
      );
    }
  }
  if (request.tty && !request.stdin) {
    throw new Error("-i/--stdin is required for containers with -t/--tty=true");
  }
}

const keep = (name: string, what: string): FlagSpec => ({
  name: `keep-${name}`,
  type: "bool",
  usage: `With --copy-to: the copy has the pod's ${what}`,
});

export const debugFlags: readonly FlagSpec[] = [
  { name: "filename", short: "f", type: "stringSlice", usage: "File or URL that names what is debugged" },
  { name: "arguments-only", type: "bool", usage: "What follows -- are arguments of the image's own command" },
  {
    name: "attach",
    type: "bool",
    usage: "Wait until the container runs and attach to it. The default with --stdin",
  },
  { name: "container", short: "c", type: "string", usage: "Name of the debug container" },
  { name: "copy-to", type: "string", usage: "Make a copy of the pod, with this name" },
  { name: "replace", type: "bool", usage: "With --copy-to: delete the pod that is copied" },
  { name: "env", ...pairsOfType("stringToString"), usage: "A variable of the container's environment: key=value" },
  { name: "image", type: "string", usage: "Image of the debug container" },
  keep("labels", "labels"),
  keep("annotations", "annotations"),
  keep("liveness", "liveness probes"),
  keep("readiness", "readiness probes"),
  keep("startup", "startup probes"),
  {
    name: "keep-init-containers",
    type: "bool",
    default: "true",
    usage: "With --copy-to: the copy runs the pod's init containers",
  },
  {
    name: "set-image",
    ...pairsOfType("stringToString"),
    usage: "With --copy-to: other images, container=image; * is all containers",
  },
  { name: "image-pull-policy", type: "string", usage: "When the image is pulled: Always, IfNotPresent or Never" },
  { name: "stdin", short: "i", type: "bool", usage: "Keep the container's stdin open" },
  { name: "quiet", short: "q", type: "bool", usage: "Print nothing but what the program in the container does" },
  { name: "same-node", type: "bool", usage: "With --copy-to: the copy runs on the pod's node" },
  {
    name: "share-processes",
    type: "bool",
    default: "true",
    usage: "With --copy-to: the containers of the copy see each other's processes",
  },
  { name: "target", type: "string", usage: "The container whose processes an ephemeral container sees" },
  { name: "tty", short: "t", type: "bool", usage: "Give the container a terminal" },
  {
    name: "profile",
    type: "string",
    default: "general",
    usage: 'What the container may do: "general", "baseline", "restricted", "netadmin" or "sysadmin"',
  },
  {
    name: "custom",
    type: "string",
    usage: "JSON or YAML file with fields of a container, which the debug container gets",
  },
];
