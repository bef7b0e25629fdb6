import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { completeGenerated, generatedFlags, requireName } from "./generated.js";
import {
  addFromEnvFile,
  addFromFile,
  addFromLiteral,
  keySourceFlags,
  type KeySources,
  readKeySources,
} from "./key-sources.js";
import { createSecret, type CreateSecretOptions, secretHashFlag } from "./secret.js";

export interface CreateGenericSecretOptions extends CreateSecretOptions {
  /** "" is Opaque. */
  readonly type: string;
  readonly sources: KeySources;
  readonly surroundings: Pick<Factory, "cwd" | "env">;
}

export function createGenericSecretCommand(run = runCreateGenericSecret): Command {
  return {
    use: "generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    description: `Create a secret from files, directories, literal values or env files.

A file's key is its name unless another is given; of a directory, each file with a name that can be a key is taken,
and nothing that is not a plain file.`,
    examples: `# With a key for each file of the directory bar
{{program}} create secret generic my-secret --from-file=path/to/bar

# With keys that are not the files' names
{{program}} create secret generic my-secret --from-file=ssh-privatekey=path/to/id_rsa --from-file=ssh-publickey=path/to/id_rsa.pub

# With a file and a value as it is
{{program}} create secret generic my-secret --from-file=ssh-privatekey=path/to/id_rsa --from-literal=passphrase=topsecret

# With what two env files say
{{program}} create secret generic my-secret --from-env-file=path/to/foo.env --from-env-file=path/to/bar.env`,
    flags: [
      ...generatedFlags,
      ...keySourceFlags("secret"),
      { name: "type", type: "string", usage: "Type of the secret" },
      secretHashFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateGenericSecretOptions> {
  const options = await completeGenerated(factory, invocation);
  requireName(options);
  const { flags } = invocation;
  return {
    ...options,
    type: flags.string("type"),
    sources: readKeySources(flags),
    appendHash: flags.bool("append-hash"),
    surroundings: factory,
  };
}

export async function runCreateGenericSecret(options: CreateGenericSecretOptions): Promise<void> {
  const { sources, surroundings } = options;
  await createSecret(options.type, options, (add) => {
    for (const literal of sources.literals) addFromLiteral(literal, add);
    for (const file of sources.files) addFromFile(file, surroundings.cwd, add);
    for (const file of sources.envFiles) addFromEnvFile(file, "secret", surroundings, add);
  });
}
