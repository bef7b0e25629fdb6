import { goQuote } from "../../base/text/go-quote.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readCascade, readOverrides, readRecord } from "../../cli/flags/change-flags.js";
import { readPrintRequest } from "../../cli/flags/print-flags.js";
import { sessionHost } from "../../cli/container-session/container-command.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { readDryRun, withDryRun } from "../../cli/flags/resource-flags.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { parsePairs } from "../../cli/pairs.js";
import { isImageReference } from "../../polymorphic-helpers/image-reference.js";
import { strictEnvVarNameErrors } from "../../machinery/validation/names.js";
import { printerFor } from "../../printers/formats.js";
import type { RunSessionOptions } from "./attach-session.js";
import type { PodRequest } from "./pod.js";
import type { RunCommandOptions } from "./run.js";

/** Reads the options from the command line; it checks them in kubectl's order. */
export async function complete(factory: Factory, invocation: Invocation): Promise<RunCommandOptions> {
  const { flags } = invocation;
  const pod = readPod(invocation);
  if (flags.duration("pod-running-timeout") <= 0) throw new Error("--pod-running-timeout must be higher than zero");
  const dryRun = readDryRun(flags, factory);
  await factory.clientConfig();
  const { namespace, enforced } = await factory.namespace();
  const kinds = await loadTypedKinds();
  const request = { ...readPrintRequest(flags, factory), encode: kinds.encode };
  const printer = printerFor(request, withDryRun("created", dryRun));
  const propagationPolicy = readCascade(flags, (text) => void factory.streams.err.write(text));
  validate(invocation, dryRun !== "none");
  const port = flags.string("port");
  const withPort = { ...pod, port: port === "" ? undefined : portOf(port) };
  return {
    request: withPort,
    session: attaches(flags) ? await readSession(factory, invocation, withPort) : undefined,
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
    print: (object) => printer.print(object, (text) => void factory.streams.out.write(text)),
    write: (text) => void factory.streams.out.write(text),
  };
}

function validate({ args, flags }: Invocation, dryRun: boolean): void {
  if (args.length === 0) throw new Error("NAME is required for run");
  const image = flags.string("image");
  if (image === "") throw new Error("--image is required");
  if (!isImageReference(image)) throw new Error(`invalid image name ${goQuote(image)}: invalid reference format`);
  if (flags.bool("tty") && !flags.bool("stdin")) {
    throw new Error("-i/--stdin is required for containers with -t/--tty=true");
  }
  const port = flags.string("port");
  if (flags.bool("expose") && port === "") throw new Error("--port must be set when exposing a service");
  if (port !== "" && parseInt64(port) === undefined) throw new Error("--port must be a number");
  const attach = attaches(flags);
  if (!attach && flags.bool("rm")) throw new Error("--rm should only be used for attached containers");
  if (attach && dryRun) {
    const message =
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)";
    throw new Error(message);
  }
}

/** Whether the command attaches to the pod. */
export const attaches = (flags: Flags): boolean =>
  flags.changed("attach") ? flags.bool("attach") : flags.bool("stdin");

async function readSession(
  factory: Factory,
  { flags, signal }: Invocation,
  { stdin, tty, leaveStdinOpen, restartPolicy }: PodRequest,
): Promise<RunSessionOptions> {
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

/** An interactive pod without a policy is restarted on failure. */
const unsaidPolicy = (flags: Flags): string => (flags.bool("stdin") ? "OnFailure" : "Always");

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

/** Returns the flag's value, which may be empty. Throws for one that `known` lacks. */
function readPolicy(flags: Flags, flag: string, what: string, known: readonly string[]): string {
  const policy = flags.string(flag);
  if (policy === "" || known.includes(policy)) return policy;
  const error = new Error(`invalid ${what}: ${policy}, valid values are: ${known.join(", ")}`);
  throw withMistyped(error, () => ({ typed: policy, known }));
}

/** Everything but the port. */
function readPod({ args: [name = "", ...args], flags }: Invocation): Omit<PodRequest, "port"> {
  const annotations = parsePairs(flags.strings("annotations"), "annotations", false).set;
  const labels = parseLabels(flags.string("labels"));
  const env = flags.strings("env").map(parseVariable);
  return {
    name,
    args,
    image: flags.string("image"),
    annotations: Object.fromEntries(annotations),
    labels,
    env,
    restartPolicy: readPolicy(flags, "restart", "restart policy", RESTART_POLICIES) || unsaidPolicy(flags),
    imagePullPolicy: readPolicy(flags, "image-pull-policy", "image pull policy", PULL_POLICIES),
    isCommand: flags.bool("command"),
    privileged: flags.bool("privileged"),
    stdin: flags.bool("stdin"),
    tty: flags.bool("tty"),
    leaveStdinOpen: flags.bool("leave-stdin-open"),
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

/** Reads an int of Go's; undefined for another text. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The number cut to the 32 bits of a port. */
const portOf = (text: string): number => Number(BigInt.asIntN(32, parseInt64(text) ?? 0n));
