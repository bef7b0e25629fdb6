import type { Random } from "../../base/numbers/random.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
} from "./generated.js";

export interface CreateDeploymentOptions extends GeneratedOptions {
  readonly images: readonly string[];
  /** Empty: the images' own. */
  readonly command: readonly string[];
  /** Negative: none is stated. */
  readonly port: number;
  readonly replicas: number;
  readonly random: Random;
}

export function createDeploymentCommand(run = runCreateDeployment): Command {
  return {
    use: "deployment NAME --image=image -- [COMMAND] [args...]",
    description: "Create a deployment.",
    examples: `# Create the deployment my-dep, which runs the image busybox
{{program}} create deployment my-dep --image=busybox

# With a command
{{program}} create deployment my-dep --image=busybox -- date

# With three replicas of the image nginx
{{program}} create deployment my-dep --image=nginx --replicas=3

# With a port that it says it listens on
{{program}} create deployment my-dep --image=busybox --port=5701

# With several containers
{{program}} create deployment my-dep --image=busybox:latest --image=ubuntu:latest --image=nginx`,
    flags: [
      ...generatedFlags,
      {
        name: "image",
        type: "stringSlice",
        required: true,
        usage: "Image to run. Give several for a pod of several containers",
      },
      { name: "port", type: "int32", default: "-1", usage: "Port that the first container listens on" },
      { name: "replicas", short: "r", type: "int32", default: "1", usage: "How many pods there shall be" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateDeploymentOptions> {
  const { args, flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    images: flags.strings("image"),
    command: args.slice(1),
    port: flags.number("port"),
    replicas: flags.number("replicas"),
    random: factory.random,
  };
  if (options.images.length > 1 && options.command.length > 0) {
    throw new Error("cannot specify multiple --image options and command");
  }
  return options;
}

export async function runCreateDeployment(options: CreateDeploymentOptions): Promise<void> {
  await createGenerated(deployment(options), options, "failed to create deployment:");
}

function deployment(options: CreateDeploymentOptions): KubeObject {
  const labels = { app: options.name };
  return {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: { ...namespacedMetadata(options), labels },
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: containers(options) } },
    },
  };
}

function containers({ images, command, port, random }: CreateDeploymentOptions): readonly object[] {
  return images.map((image, index) => ({
    name: containerName(image, random),
    image,
    command,
    ...(port >= 0 && index === 0 && { ports: [{ containerPort: port }] }),
  }));
}

/** The image without registry, tag and digest. What no container may be called is replaced, and made unique at random. */
function containerName(image: string, random: Random): string {
  const name = image.split("/").at(-1)?.split(":")[0]?.split("@")[0] ?? "";
  return /[_.]/.test(name) ? `${name.replaceAll(/[_.]/g, "-")}-${randomSuffix(random)}` : name;
}

/** The letters of generated names: no vowels, so that no words come about. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

function randomSuffix(random: Random): string {
  return [...random.bytes(5)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
}
