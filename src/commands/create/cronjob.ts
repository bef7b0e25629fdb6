import type { Command } from "../../cli/command.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
} from "./generated.js";

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
