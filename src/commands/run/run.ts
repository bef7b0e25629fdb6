import { overrideObject, type Overrides } from "../../actions/apply/override-object.js";
import { createTyped, recordTypedConfiguration, type TypedKinds } from "../../actions/typed/typed-object.js";
import type { Command } from "../../cli/command.js";
import { cascadeFlag, overrideFlags, recordFlag } from "../../cli/flags/change-flags.js";
import { detachKeysFlag } from "../../cli/container-session/flags.js";
import { endedBySignal } from "../../cli/container-session/interrupt.js";
import { printFlags } from "../../cli/flags/print-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  saveConfigFlag,
} from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper, RestMapping } from "../../machinery/rest-mapper.js";
import { type DeleteOptions, Helper } from "../../resource/helper.js";
import { throwAll } from "../../resource/visitor.js";
import { runSession, type RunSessionOptions } from "./attach-session.js";
import { attaches, complete } from "./options.js";
import { podFor, type PodRequest, serviceFor } from "./pod.js";
import { outliving } from "../../client/rest/rest-client.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { deletionLine } from "../../printers/deletion-line.js";

export interface RunCommandOptions {
  readonly request: PodRequest;
  /** Also make a service for the pod. */
  readonly expose: boolean;
  /** Of the pod only. */
  readonly overrides: Overrides;
  readonly namespace: string;
  readonly enforceNamespace: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  readonly saveConfig: boolean;
  /** Why it is made, for its annotation. */
  readonly cause: string | undefined;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly kinds: TypedKinds;
  /** Attaching to the pod. Undefined: the command ends once the pod is created. */
  readonly session: RunSessionOptions | undefined;
  /** With `session`: what was created is deleted in the end. */
  readonly removes: boolean;
  readonly propagationPolicy: DeleteOptions["propagationPolicy"];
  readonly quiet: boolean;
  readonly write: (text: string) => void;
  readonly print: (object: KubeObject) => void;
}

const FILES_IGNORED = "it is ignored by kubectl run and will be removed in a future release";

export function runCommand(run = runRun): Command {
  return {
    use: 'run NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
    description: "Make a pod that runs an image.",
    examples: `# Run nginx
{{program}} run nginx --image=nginx

# With a port that it says it listens on
{{program}} run hazelcast --image=hazelcast/hazelcast --port=5701

# With variables in its environment
{{program}} run hazelcast --image=hazelcast/hazelcast --env="DNS_DOMAIN=cluster" --env="POD_NAMESPACE=default"

# With labels
{{program}} run hazelcast --image=hazelcast/hazelcast --labels="app=hazelcast,env=prod"

# Only show what would be made
{{program}} run nginx --image=nginx --dry-run=client

# With another API version, or more of a spec
{{program}} run nginx --image=nginx --overrides='{ "apiVersion": "v1", "spec": { ... } }'

# A shell on this terminal, in a pod that does not start again
{{program}} run -i -t busybox --image=busybox --restart=Never

# With arguments of the image's own command
{{program}} run nginx --image=nginx -- <arg1> <arg2> ... <argN>

# With another command
{{program}} run nginx --image=nginx --command -- <cmd> <arg1> ... <argN>`,
    flags: [
      ...filenameFlags("Not used: what is run is said by the other flags").map((flag) =>
        flag.name === "filename" ? { ...flag, deprecated: FILES_IGNORED, deprecatedShort: FILES_IGNORED } : flag,
      ),
      cascadeFlag,
      { name: "force", type: "bool", usage: "With --rm: take the pod out of the API at once" },
      { name: "grace-period", type: "int", default: "-1", usage: "With --rm: seconds the pod is given to end" },
      { name: "timeout", type: "duration", usage: "With --rm: how long to wait until the pod is gone" },
      { name: "wait", type: "bool", usage: "With --rm: wait until the pod is gone" },
      ...printFlags,
      recordFlag,
      dryRunFlag,
      { name: "annotations", type: "stringArray", usage: "An annotation of the pod: key=value" },
      { name: "image", type: "string", required: true, usage: "Image to run" },
      { name: "image-pull-policy", type: "string", usage: "When the image is pulled: Always, IfNotPresent or Never" },
      { name: "rm", type: "bool", usage: "Delete the pod when it has ended. Needs --attach" },
      { name: "env", type: "stringArray", usage: "A variable of the container's environment: key=value" },
      { name: "port", type: "string", usage: "Port that the container listens on" },
      { name: "labels", short: "l", type: "string", usage: "Labels of the pod, separated by commas" },
      { name: "stdin", short: "i", type: "bool", usage: "Keep the container's stdin open" },
      { name: "tty", short: "t", type: "bool", usage: "Give the container a terminal" },
      { name: "attach", type: "bool", usage: "Wait for the pod and attach to it. The default with --stdin" },
      { name: "leave-stdin-open", type: "bool", usage: "Keep stdin open when who attached first is gone" },
      { name: "restart", type: "string", default: "Always", usage: "When it runs again: Always, OnFailure or Never" },
      { name: "command", type: "bool", usage: "What follows -- is the command, not the arguments of the image's own" },
      { name: "expose", type: "bool", usage: "Also make a service for the pod. Needs --port" },
      { name: "quiet", short: "q", type: "bool", usage: "Say nothing but what the container says" },
      { name: "privileged", type: "bool", usage: "Run the container with all rights" },
      detachKeysFlag,
      fieldManagerFlag("kubectl-run"),
      ...overrideFlags,
      saveConfigFlag,
      {
        name: "pod-running-timeout",
        type: "duration",
        default: "1m0s",
        usage: "How long to wait until the pod runs, with a unit (5s, 2m, 3h)",
      },
    ],
    execute: async (factory, invocation) =>
      endedBySignal(complete(factory, invocation).then((options) => run(options))),
    handlesSignals: ({ flags }) => attaches(flags),
  };
}

/**
 * Creates the pod, then its service, and prints them. If the service fails, the pod stays and is printed. With a session the
 * outcome is the session's, and nothing else is printed.
 */
export async function runRun(options: RunCommandOptions): Promise<void> {
  const { request, overrides, kinds, session } = options;
  const failures: unknown[] = [];
  const pod = await create("Pod", () => overrideObject(podFor(request), overrides, kinds), options);
  const created = [pod];
  if (options.expose) {
    try {
      created.push(await create("Service", async () => serviceFor(request), options));
    } catch (error) {
      failures.push(error);
    }
  }
  if (session !== undefined) {
    try {
      return await runSession(pod.object, session);
    } finally {
      if (options.removes) await removeCreated(created, { ...options, client: outliving(await options.client()) });
    }
  }
  for (const { object } of created) {
    try {
      options.print(object);
    } catch (error) {
      failures.push(error);
    }
  }
  throwAll(failures);
}

async function create(
  kind: string,
  make: () => Promise<KubeObject>,
  options: RunCommandOptions,
): Promise<CreatedObject> {
  const { kinds, dryRun, namespace, fieldManager } = options;
  const mapping = await (await options.mapper()).mappingFor({ group: "", kind }, "v1");
  const object = withChangeCause(await make(), options.cause);
  if (dryRun === "client") {
    const placed = options.enforceNamespace ? { ...object, metadata: { ...object.metadata, namespace } } : object;
    return { object: placed, mapping };
  }
  const helper = new Helper(await options.client(), mapping, { dryRun: dryRun === "server", fieldManager });
  const recorded = recordTypedConfiguration(object, options.saveConfig, kinds);
  return { object: await createTyped(recorded, namespace, helper, kinds), mapping };
}

export interface CreatedObject {
  readonly object: KubeObject;
  readonly mapping: RestMapping;
}

export interface RemoveCreatedOptions {
  readonly client: RestClient;
  readonly propagationPolicy: DeleteOptions["propagationPolicy"];
  readonly quiet: boolean;
  readonly write: (text: string) => void;
}

/**
 * Deletes the objects that the command has created, for --rm, even after a signal. It stops at the first object that cannot be
 * deleted, without an error, because the end of the session is the outcome.
 */
export async function removeCreated(created: readonly CreatedObject[], options: RemoveCreatedOptions): Promise<void> {
  for (const { object, mapping } of created) {
    if (!(await remove(object, mapping, options))) return;
  }
}

async function remove(
  { metadata }: KubeObject,
  mapping: RestMapping,
  { client, propagationPolicy, quiet, write }: RemoveCreatedOptions,
): Promise<boolean> {
  const { namespace = "", name = "" } = metadata ?? {};
  const helper = new Helper(client, mapping);
  try {
    await helper.get(namespace, name);
    const body = encodeDeletion(propagationPolicy);
    await client.request({ method: "DELETE", path: resourcePath(mapping, namespace, name), body });
  } catch (error) {
    if (!isNotFound(error)) return false;
    write("No resources found\n");
    return true;
  }
  if (!quiet) write(deletionLine({ kind: mapping.kind, name, namespace }, "", false));
  return true;
}

/** As kubectl's typed encoder writes it, kind first. */
const encodeDeletion = (propagationPolicy: DeleteOptions["propagationPolicy"]): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy })}\n`);
