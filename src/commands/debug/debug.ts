import type { Random } from "../../base/numbers/random.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { PODS } from "../../actions/selected-pods.js";
import { builtInPatchSchema } from "../../actions/apply/three-way-patch.js";
import { createByClient, protobufBody, type TypedKinds } from "../../actions/typed/typed-object.js";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import type { Command } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import type { SessionHost } from "../../cli/container-session/container-command.js";
import { endedBySignal, interruptible } from "../../cli/container-session/interrupt.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";
import { containerNames as podContainerNames } from "../../polymorphic-helpers/pod-containers.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { type Look, unpainted } from "../../printers/look.js";
import { type Fields, object, objects, text, type ReadonlyFields, isFields } from "../../machinery/meta/access.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { createTwoWayMergePatch } from "../../machinery/patch/strategic-diff.js";
import type { Result } from "../../resource/builder.js";
import { sortedJson } from "../../resource/encode-json.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import {
  newContainerName,
  randomSuffix,
  withEphemeralContainer,
  nodePod,
  type CopyRequest,
  podCopy,
} from "./debugging-pods.js";
import { customProfileMerger, isHamperedByUser } from "./profiles.js";
import { debugFlags, complete } from "./options.js";
import { waitForPod } from "../../actions/wait/wait-for-pod.js";
import { attachToContainer } from "../../cli/container-session/attach.js";
import { printContainerLog } from "../../cli/container-session/container-log.js";
import { containerStatuses } from "../../polymorphic-helpers/container-runs.js";
import type { Streams } from "../../cli/connect/factory.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";

export interface DebugCommandOptions extends SessionHost {
  /** Finds the pods and nodes, each as its Go type holds it. */
  readonly find: () => Promise<Result>;
  readonly request: CopyRequest;
  /** The container whose processes an ephemeral one sees, or "". */
  readonly target: string;
  /** The copy takes the place of its pod. */
  readonly replace: boolean;
  readonly attach: boolean;
  readonly quiet: boolean;
  /** Where pods on nodes are made. */
  readonly namespace: string;
  readonly kinds: TypedKinds;
  readonly random: Random;
  readonly warn: (text: string) => void;
  /** Of stderr. */
  readonly look: Look;
  /** -v or --vmodule was given. */
  readonly verbose: boolean;
  /** How the user attaches again: "kubectl attach". */
  readonly commandName: string;
}

export function debugCommand(run = runDebug): Command {
  return {
    use: "debug (POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
    description: `Debug pods and nodes with a container that is made for it.

A pod gets an ephemeral container beside those that run, without a restart, or is copied with changes: another image, another
command, a container more. A node gets a pod that has its namespaces, and its file system at /host.

Where all containers of a pod run as another user than root, some rights that a profile gives may be of no use.`,
    examples: `# A shell beside the containers of mypod
{{program}} debug mypod -it --image=busybox

# The same, for the pod of a file
{{program}} debug -f pod.yaml -it --image=busybox

# A container named debugger, of an image made for it
{{program}} debug --image=myproj/debug-tools -c debugger mypod

# A copy of mypod with a container more
{{program}} debug mypod -it --image=busybox --copy-to=my-debugger

# A copy of mypod in which mycontainer runs a shell
{{program}} debug mypod -it --copy-to=my-debugger --container=mycontainer -- sh

# A copy of mypod in which all containers have another image
{{program}} debug mypod --copy-to=my-debugger --set-image=*=busybox

# A container more, and other images
{{program}} debug mypod -it --copy-to=my-debugger --image=debian --set-image=app=app:debug,sidecar=sidecar:debug

# A shell on a node
{{program}} debug node/mynode -it --image=busybox`,
    flags: debugFlags,
    execute: async (factory, invocation) =>
      endedBySignal(complete(factory, invocation).then((options) => run(options))),
    completeArgs: completeTypesAndNames,
    handlesSignals: true,
  };
}

export async function runDebug(options: DebugCommandOptions): Promise<void> {
  const { signal } = options;
  const result = await interruptible(signal, options.find());
  const visiting = result.visit(async (info) => {
    const { pod, container } = await interruptible(signal, debugged(info, options));
    if (options.attach && container !== "") await attachToDebugContainer(pod, container, options);
  });
  await visiting;
}

/** The pod with the container to attach to. */
interface Debugged {
  readonly pod: KubeObject;
  /** "" where there is none to attach to. */
  readonly container: string;
}

function debugged({ object: found = {}, mapping: { kind } }: Info, options: DebugCommandOptions): Promise<Debugged> {
  const core = kind.group === "";
  if (core && kind.kind === "Node") return debugNode(found, options);
  if (core && kind.kind === "Pod") {
    return options.request.copyTo === "" ? addEphemeralContainer(found, options) : copyPod(found, options);
  }
  const version = core ? `/${kind.version}` : formatGroupVersion(kind);
  throw new Error(`${goQuote(`${version}, Kind=${kind.kind}`)} not supported by debug`);
}

async function debugNode(node: KubeObject, options: DebugCommandOptions): Promise<Debugged> {
  const { request, random, namespace } = options;
  const name = node.metadata?.name ?? "";
  const podName = `node-debugger-${name}-${randomSuffix(random)}`;
  const container = request.container || "debugger";
  say(`Creating debugging pod ${podName} with container ${container} on node ${name}.`, options);
  const made = nodePod(name, podName, container, request, await customProfileMerger());
  showChange({ of: `pod/${podName}` }, { spec: made.spec }, options);
  const pod = await create(made, namespace, options);
  return { pod, container: text(objects(object(pod.spec).containers)[0]?.name) };
}

async function addEphemeralContainer(found: KubeObject, options: DebugCommandOptions): Promise<Debugged> {
  const { request, target, kinds, client } = options;
  const pod = readTyped(found, kinds);
  const name = request.container || generatedName(containerNames(pod), options);
  const added = withEphemeralContainer(pod, name, target, request, await customProfileMerger());
  warnOfUser(pod, added.container, options);
  const schema = await builtInPatchSchema({ group: "", version: "v1", kind: "Pod" });
  const patch = createTwoWayMergePatch(pod as JsonObject, readTyped(added.pod, kinds) as JsonObject, schema);
  const { namespace = "", name: podName = "" } = pod.metadata ?? {};
  const summary = `pod/${podName} gets the ephemeral container ${name}, ${byProfile(request)}`;
  showChange({ of: `pod/${podName}`, summary }, patch, options);
  const helper = new Helper(client, PODS, { typed: true, subresource: "ephemeralcontainers" });
  try {
    const body = new TextEncoder().encode(sortedJson(patch));
    return { pod: await helper.patch(namespace, podName, "strategic", body), container: name };
  } catch (error) {
    const targets = [...podContainerNames(found, "containers"), ...podContainerNames(found, "initContainers")];
    if (error instanceof Error && target !== "" && !targets.includes(target)) {
      withMistyped(error, () => ({ typed: target, known: targets }));
    }
    // A server that does not have the subresource names nothing that it did not find.
    if (!isNotFound(error) || (error.status.details?.name ?? "") !== "") throw error;
    const message = `ephemeral containers are disabled for this cluster (error from server: ${goQuote(error.message)})`;
    throw new Error(message, { cause: error });
  }
}

async function copyPod(found: KubeObject, options: DebugCommandOptions): Promise<Debugged> {
  const { request, kinds, replace } = options;
  const original = readTyped(found, kinds);
  const newName = (taken: ReadonlySet<string>): string => generatedName(taken, options);
  const copy = podCopy(original, request, newName, await customProfileMerger());
  const container = objects(object(copy.pod.spec).containers).find(({ name }) => name === copy.container);
  warnOfUser(copy.pod, container, options);
  const { namespace = "", name = "" } = original.metadata ?? {};
  const schema = await builtInPatchSchema({ group: "", version: "v1", kind: "Pod" });
  const change = createTwoWayMergePatch(changeable(original), changeable(readTyped(copy.pod, kinds)), schema);
  const copied = `pod/${request.copyTo} is a copy of pod/${name}`;
  const summary =
    copy.container === ""
      ? `${copied} with other images`
      : `${copied} with the container ${copy.container}, ${byProfile(request)}`;
  showChange({ of: `pod/${request.copyTo}, beside pod/${name}`, summary }, change, options);
  const pod = await create(copy.pod, namespace, options);
  if (replace) await deleteAtOnce(namespace, name, options);
  return { pod, container: copy.container };
}

/** "image busybox, profile general" */
const byProfile = ({ image, profile }: CopyRequest): string =>
  [...(image === "" ? [] : [`image ${image}`]), `profile ${profile}`].join(", ");

async function deleteAtOnce(namespace: string, name: string, { client, kinds }: DebugCommandOptions): Promise<void> {
  const options = protobufBody({ apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 }, kinds);
  await client.request({ method: "DELETE", path: resourcePath(PODS, namespace, name), sentBy: "typed", ...options });
}

function create(pod: KubeObject, namespace: string, { client, kinds }: DebugCommandOptions): Promise<KubeObject> {
  return createByClient(pod, namespace, new Helper(client, PODS, { typed: true }), kinds);
}

function generatedName(taken: ReadonlySet<string>, options: DebugCommandOptions): string {
  const name = newContainerName(taken, options.random);
  say(`Defaulting debug container name to ${name}.`, options);
  return name;
}

const containerNames = ({ spec }: KubeObject): ReadonlySet<string> =>
  new Set(
    ["containers", "initContainers", "ephemeralContainers"].flatMap((field) =>
      objects(object(spec)[field]).map(({ name }) => text(name)),
    ),
  );

function warnOfUser(pod: Fields, container: Fields | undefined, { streams }: DebugCommandOptions): void {
  if (!isHamperedByUser(pod, container)) return;
  streams.err.write(
    'Warning: Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile may not work. Please consider using "--custom" with a custom profile that specifies "securityContext.runAsUser: 0".\n',
  );
}

function say(line: string, { quiet, streams }: DebugCommandOptions): void {
  if (!quiet) streams.out.write(`${line}\n`);
}

/** Waits until the container has started and attaches to it. If it has ended already, or attaching fails, it prints the container's log. */
export async function attachToDebugContainer(
  created: KubeObject,
  container: string,
  options: DebugCommandOptions,
): Promise<void> {
  const { request, streams, signal } = options;
  const { namespace = "", name = "" } = created.metadata ?? {};
  const started = waitForPod((pod) => hasStarted(pod, container, options), { ...options, namespace, name });
  const pod = await interruptible(signal, started, 1);
  const printLog = (): Promise<void> => interruptible(signal, printContainerLog(pod, container, options, signal));
  if (stateOf(pod, container)?.["terminated"] !== undefined) return printLog();
  const { stdin, tty } = request;
  try {
    await attachToContainer({ ...options, pod, container, stdin, tty, detachKeys: "" });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    streams.err.write(`warning: couldn't attach to pod/${name}, falling back to streaming logs: ${error.message}\n`);
    await printLog();
  }
}

function hasStarted(pod: KubeObject, container: string, { quiet, warn }: DebugCommandOptions): boolean {
  const { running, terminated, waiting } = stateOf(pod, container) ?? {};
  if (running !== undefined || terminated !== undefined) return true;
  const message = text(object(waiting).message);
  if (!quiet && message !== "") warn(`container ${container}: ${message}`);
  return false;
}

function stateOf(pod: KubeObject, container: string): ReadonlyFields | undefined {
  const found = containerStatuses(pod).find(({ name }) => name === container);
  return found === undefined ? undefined : object(found.state);
}

export interface ShowChangeOptions {
  readonly quiet: boolean;
  readonly streams: Pick<Streams, "err">;
  /** Of stderr. */
  readonly look: Look;
  /** -v or --vmodule was given. */
  readonly verbose: boolean;
}

/** What a change is made of. */
interface ChangedPod {
  /** "pod/web" */
  readonly of: string;
  /** The change in a few words. Undefined where the command has told already what it makes. */
  readonly summary?: string;
}

/** The fields of a pod in which its copy may differ: labels, annotations and spec. */
export function changeable({ metadata, spec }: KubeObject): JsonObject {
  const { labels, annotations } = metadata ?? {};
  return JSON.parse(JSON.stringify({ metadata: { labels, annotations }, spec })) as JsonObject;
}

/** Shows the user in one line what will be written, or with -v the whole change; null marks what is removed. */
export function showChange(
  { of, summary }: ChangedPod,
  change: object,
  { quiet, streams, look, verbose }: ShowChangeOptions,
): void {
  if (quiet || streams.err.isTTY !== true) return;
  const { muted } = look.paint ?? unpainted;
  const short = summary === undefined ? [] : [`${summary} (-v=1 shows all changes)`];
  const lines = verbose ? [`Changes of ${of}:`, ...changeLines(change)] : short;
  if (lines.length > 0) streams.err.write(`${lines.map(muted).join("\n")}\n`);
}

function changeLines(change: object): readonly string[] {
  const shown = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const lines = emitYaml(withoutOrders(shown)).trimEnd().split("\n");
  return lines.map((line) => `  ${line}`);
}

/** A patch without its directives about the order of lists, which say nothing to a person. */
function withoutOrders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrders);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.startsWith("$setElementOrder/"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutOrders(inner)]));
}
