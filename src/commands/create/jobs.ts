import { readTyped } from "../../actions/typed/read-typed.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { child, type Fields } from "../../machinery/meta/access.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { Builder } from "../../resource/builder.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
} from "./generated.js";

export interface CreateJobOptions extends GeneratedOptions {
  /** "" when `from` is given. */
  readonly image: string;
  readonly command: readonly string[];
  /** "cronjob/name", or "". */
  readonly from: string;
  readonly builder: () => Promise<Builder>;
}

export function createJobCommand(run = runCreateJob): Command {
  return {
    use: "job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    description: "Create a job, from an image or as a cron job would make it.",
    examples: `# Create the job my-job, which runs the image busybox
{{program}} create job my-job --image=busybox

# With a command
{{program}} create job my-job --image=busybox -- date

# What the cron job a-cronjob would make, now
{{program}} create job test-job --from=cronjob/a-cronjob`,
    flags: [
      ...generatedFlags,
      { name: "image", type: "string", usage: "Image to run" },
      { name: "from", type: "string", usage: "Cron job that says what to run, as cronjob/NAME" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateJobOptions> {
  const { args, flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    image: flags.string("image"),
    from: flags.string("from"),
    command: args.slice(1),
    builder: () => factory.builder(),
  };
  if ((options.image === "") === (options.from === "")) throw new Error("either --image or --from must be specified");
  if (options.command.length > 0 && options.from !== "") throw new Error("cannot specify --from and command");
  return options;
}

export async function runCreateJob(options: CreateJobOptions): Promise<void> {
  const job = options.image === "" ? jobOf(await findCronJob(options), options) : newJob(options);
  await createGenerated(job, options, "failed to create job:");
}

function newJob(options: CreateJobOptions): KubeObject {
  const { name, image, command } = options;
  return {
    kind: "Job",
    apiVersion: "batch/v1",
    metadata: namespacedMetadata(options),
    spec: { template: { spec: { containers: [{ name, image, command }], restartPolicy: "Never" } } },
  };
}

async function findCronJob({ builder, from, namespace }: CreateJobOptions): Promise<KubeObject> {
  const builderForOne = await builder();
  const result = await builderForOne
    .namespaceParam(namespace)
    .defaultNamespace()
    .typeOrNameArgs(false, [from])
    .flatten()
    .latest()
    .do();
  const [info, ...others] = await result.infos();
  if (info?.object === undefined || others.length > 0) throw new Error("from must be an existing cronjob");
  const found = readTyped(info.object, await loadTypedKinds({ retired: true }));
  const { apiVersion = "", kind = "" } = found;
  // CronJob of batch/v1beta1 is another type.
  if (apiVersion !== "batch/v1" || kind !== "CronJob") {
    throw new Error(`unknown object type *${parseGroupVersion(apiVersion).version}.${kind}`);
  }
  return found;
}

/** The job a cron job would make. It says that a person made it, and is the cron job's own otherwise. */
function jobOf(cronJob: KubeObject, options: CreateJobOptions): KubeObject {
  const { name = "", uid = "" } = cronJob.metadata ?? {};
  const template = child((cronJob["spec"] ?? {}) as Fields, "jobTemplate") ?? {};
  const { annotations, labels }: ObjectMeta = child(template, "metadata") ?? {};
  return {
    kind: "Job",
    apiVersion: "batch/v1",
    metadata: {
      ...namespacedMetadata(options),
      annotations: { "cronjob.kubernetes.io/instantiate": "manual", ...annotations },
      ...(labels !== undefined && { labels }),
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true }],
    },
    spec: template["spec"],
  };
}

export interface CreateCronJobOptions extends GeneratedOptions {
  readonly image: string;
  readonly command: readonly string[];
  readonly schedule: string;
  readonly restart: string;
}

export function createCronJobCommand(run = runCreateCronJob): Command {
  return {
    use: "cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
    description: "Create a cron job.",
    examples: `# Create the cron job my-job, which runs the image busybox every minute
{{program}} create cronjob my-job --image=busybox --schedule="*/1 * * * *"

# With a command
{{program}} create cronjob my-job --image=busybox --schedule="*/1 * * * *" -- date`,
    flags: [
      ...generatedFlags,
      { name: "image", type: "string", required: true, usage: "Image to run" },
      { name: "schedule", type: "string", required: true, usage: "When to run it, as cron writes it" },
      { name: "restart", type: "string", usage: "Restart policy of its jobs: OnFailure (the default) or Never" },
    ],
    execute: async (factory, invocation) => {
      const { args, flags } = invocation;
      await run({
        ...(await completeGenerated(factory, invocation)),
        image: flags.string("image"),
        command: args.slice(1),
        schedule: flags.string("schedule"),
        restart: flags.string("restart") || "OnFailure",
      });
    },
  };
}

export async function runCreateCronJob(options: CreateCronJobOptions): Promise<void> {
  const { name, image, command, schedule, restart } = options;
  const template = { spec: { containers: [{ name, image, command }], restartPolicy: restart } };
  const object = {
    kind: "CronJob",
    apiVersion: "batch/v1",
    metadata: namespacedMetadata(options),
    spec: { schedule, jobTemplate: { metadata: { name }, spec: { template } } },
  };
  await createGenerated(object, options, "failed to create cronjob:");
}
