import { goQuote } from "../../base/text/go-quote.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readCascade, readOverrides, readRecord } from "../../cli/flags/change-flags.js";
import { readPrintRequest } from "../../cli/flags/print-flags.js";
import { sessionHost } from "../../cli/container-session/container-command.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { readDryRun, withDryRun } from "../../cli/flags/resource-flags.js";
import { strconvError } from "../../base/text/go-errors.js";
import { parsePairs } from "../../cli/pairs.js";
import { isImageReference } from "../../kinds/image-reference.js";
import { strictEnvVarNameErrors } from "../../machinery/validation/names.js";
import { printerFor } from "../../printers/formats.js";
import type { RunSessionOptions } from "./attach-session.js";
import type { PodRequest } from "./pod.js";
import type { RunCommandOptions } from "./run.js";

/** Turns the command line into options; what is wrong is told in kubectl's order. */
export async function complete(factory: Factory, invocation: Invocation): Promise<RunCommandOptions> {
  const { flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const kinds = await loadTypedKinds();
  const request = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const printer = printerFor(request, withDryRun("created", dryRun));
  const propagationPolicy = readCascade(flags, (text) => void factory.streams.err.write(text));
  const write = (text: string): void => void factory.streams.out.write(text);
  validate(invocation);
  const { namespace, enforced } = await factory.namespace();
  validatePolicies(invocation, dryRun !== "none");
  const pod = readPod(invocation);
  return {
    request: pod,
    session: attaches(flags) ? await readSession(factory, invocation, pod) : undefined,
    removes: flags.bool("rm"),
    propagationPolicy,
    quiet: flags.bool("quiet"),
    expose: flags.bool("expose"),
    overrides: readOverrides(flags),
    namespace,
    enforceNamespace: enforced,
    dryRun,
    fieldManager: flags.string("field-manager"),
    saveConfig: flags.bool("save-config"),
    cause: readRecord(invocation),
    client: () => factory.restClient(),
    mapper: () => factory.mapper(),
    kinds,
    print: (object) => printer.print(object, write),
    write,
    separate: () => (flags.string("output") === "yaml" ? write("---\n") : undefined),
  };
}

function validate(invocation: Invocation): void {
  const { args, flags } = invocation;
  const wrong = (message: string): Error => usageError(invocation, message);
  if (args.length === 0) throw wrong("NAME is required for run");
  if (flags.duration("pod-running-timeout") <= 0) throw wrong("--pod-running-timeout must be higher than zero");
  const image = flags.string("image");
  if (image === "") throw new Error("--image is required");
  if (!isImageReference(image)) throw new Error(`Invalid image name ${goQuote(image)}: invalid reference format`);
  if (flags.bool("tty") && !flags.bool("stdin")) {
    throw wrong("-i/--stdin is required for containers with -t/--tty=true");
  }
  if (flags.bool("expose") && flags.string("port") === "") throw wrong("--port must be set when exposing a service");
}

/** Whether the command attaches to the pod. */
export const attaches = (flags: Flags): boolean =>
  flags.changed("attach") ? flags.bool("attach") : flags.bool("stdin");

async function readSession(
  factory: Factory,
  { flags, signal }: Invocation,
  { stdin, tty, leaveStdinOpen }: PodRequest,
): Promise<RunSessionOptions> {
  // An empty policy makes an interactive pod's command wait as one that is restarted on failure.
  const restartPolicy = flags.string("restart") || (stdin ? "OnFailure" : "Always");
  return {
    ...(await sessionHost(factory, signal)),
    stdin,
    tty,
    quiet: flags.bool("quiet"),
    detachKeys: flags.string("detach-keys"),
    commandName: `${factory.program} attach`,
    podTimeout: flags.duration("pod-running-timeout"),
    waitsForEnd: !leaveStdinOpen && restartPolicy !== "Always",
    restartPolicy,
  };
}

const RESTART_POLICIES = ["", "Always", "OnFailure", "Never"];
const PULL_POLICIES = ["", "Always", "IfNotPresent", "Never"];

function validatePolicies(invocation: Invocation, dryRun: boolean): void {
  const { flags } = invocation;
  const wrong = (message: string): Error => usageError(invocation, message);
  const restart = flags.string("restart");
  if (!RESTART_POLICIES.includes(restart)) throw wrong(`invalid restart policy: ${restart}`);
  const attach = attaches(flags);
  if (!attach && flags.bool("rm")) throw wrong("--rm should only be used for attached containers");
  if (attach && dryRun) {
    throw wrong(
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  }
  const pull = flags.string("image-pull-policy");
  if (!PULL_POLICIES.includes(pull)) throw wrong(`invalid image pull policy: ${pull}`);
}

function readPod({ args: [name = "", ...args], flags }: Invocation): PodRequest {
  const env = flags.strings("env").map(parseVariable);
  const annotations = parsePairs(flags.strings("annotations"), "annotations", false).set;
  const labels = parseLabels(flags.string("labels"));
  const port = flags.string("port");
  return {
    name,
    args,
    image: flags.string("image"),
    annotations: Object.fromEntries(annotations),
    labels,
    env,
    restartPolicy: flags.string("restart") || "Always",
    imagePullPolicy: flags.string("image-pull-policy"),
    isCommand: flags.bool("command"),
    privileged: flags.bool("privileged"),
    stdin: flags.bool("stdin"),
    tty: flags.bool("tty"),
    leaveStdinOpen: flags.bool("leave-stdin-open"),
    port: port === "" ? undefined : parsePort(port),
  };
}

function parseLabels(spec: string): PodRequest["labels"] {
  if (spec === "") return undefined;
  return Object.fromEntries(
    spec.split(",").map((text) => {
      const [key = "", value, ...more] = text.split("=");
      if (value === undefined || more.length > 0) throw new Error(`unexpected label spec: ${text}`);
      if (key === "") throw new Error("unexpected empty label key");
      return [key, value];
    }),
  );
}

function parseVariable(text: string): { readonly name: string; readonly value: string } {
  const equals = text.indexOf("=");
  const name = text.slice(0, equals);
  if (equals <= 0 || strictEnvVarNameErrors(name).length > 0) throw new Error(`invalid env: ${text}`);
  return { name, value: text.slice(equals + 1) };
}

/** An int of Go's, cut to the 32 bits of a port. */
function parsePort(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text)) throw strconvError("Atoi", text, "invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) throw strconvError("Atoi", text, "value out of range");
  return Number(BigInt.asIntN(32, value));
}
