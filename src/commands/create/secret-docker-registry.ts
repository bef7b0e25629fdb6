import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { completeGenerated, generatedFlags, requireName } from "./generated.js";
import { addFromFile } from "./key-sources.js";
import { createSecret, type CreateSecretOptions, secretHashFlag } from "./secret.js";

export interface CreateRegistrySecretOptions extends CreateSecretOptions {
  /** Each as key=file; with them the rest does not count. */
  readonly files: readonly string[];
  readonly username: string;
  readonly password: string;
  readonly email: string;
  readonly server: string;
  readonly cwd: string;
}

/** The key under which kubelet looks for what docker keeps in ~/.docker/config.json. */
const CONFIG_KEY = ".dockerconfigjson";

export function createRegistrySecretCommand(run = runCreateRegistrySecret): Command {
  return {
    use: "docker-registry NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
    description: `Create a secret with which images are pulled from a registry that wants to know who asks.

It holds what "docker login" would write: name it in the imagePullSecrets of a pod or of a service account.`,
    examples: `# For a user of a registry
{{program}} create secret docker-registry my-secret --docker-server=DOCKER_REGISTRY_SERVER --docker-username=DOCKER_USER --docker-password=DOCKER_PASSWORD --docker-email=DOCKER_EMAIL

# From what docker has written
{{program}} create secret docker-registry my-secret --from-file=path/to/.docker/config.json`,
    flags: [
      ...generatedFlags,
      { name: "docker-username", type: "string", usage: "User of the registry" },
      { name: "docker-password", type: "string", usage: "The user's password" },
      { name: "docker-email", type: "string", usage: "The user's e-mail address" },
      {
        name: "docker-server",
        type: "string",
        default: "https://index.docker.io/v1/",
        usage: "Address of the registry",
      },
      secretHashFlag,
      {
        name: "from-file",
        type: "stringSlice",
        usage: `File as docker writes it, under the key ${CONFIG_KEY} unless it is given as key=file`,
      },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateRegistrySecretOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    files: flags.strings("from-file").map((file) => (file.includes("=") ? file : `${CONFIG_KEY}=${file}`)),
    username: flags.string("docker-username"),
    password: flags.string("docker-password"),
    email: flags.string("docker-email"),
    server: flags.string("docker-server"),
    appendHash: flags.bool("append-hash"),
    cwd: factory.cwd,
  };
  requireName(options);
  const { files, username, password, server } = options;
  if (files.length === 0 && (username === "" || password === "" || server === "")) {
    throw new Error(
      "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
    );
  }
  return options;
}

export async function runCreateRegistrySecret(options: CreateRegistrySecretOptions): Promise<void> {
  await createSecret("kubernetes.io/dockerconfigjson", options, (add) => {
    for (const file of options.files) addFromFile(file, options.cwd, add);
    if (options.files.length === 0) add(CONFIG_KEY, new TextEncoder().encode(dockerConfig(options)));
  });
}

function dockerConfig({ username, password, email, server }: CreateRegistrySecretOptions): string {
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  return encodeJson({ auths: { [server]: { username, password, email: email || undefined, auth } } });
}
