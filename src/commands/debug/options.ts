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
import { pairsOf } from "../../component/flags/pairs.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { warnTo } from "../../cli/warn.js";
import { isImageReference } from "../../kinds/image-reference.js";
import type { CopyRequest } from "./pod-copy.js";
import { type CustomProfile, parseCustomProfile } from "./custom-profile.js";
import type { DebugCommandOptions } from "./debug.js";
import { debugProfile } from "./profiles.js";

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
