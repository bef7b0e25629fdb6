import { setKey } from "../../machinery/wire/json/own-keys.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { secretHash } from "../../polymorphic-helpers/content-hash.js";
import { configMapKeyErrors } from "../../machinery/validation/names.js";
import {
  createGenerated,
  type GeneratedOptions,
  namespacedMetadata,
  completeGenerated,
  generatedFlags,
  requireName,
} from "./generated.js";
import {
  type AddKey,
  addFromEnvFile,
  addFromFile,
  addFromLiteral,
  keySourceFlags,
  type KeySources,
  type Place,
  readKeySources,
  readBytes,
} from "./key-sources.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { readKeyPair } from "../../machinery/crypto/key-pair.js";

// What the three kinds of secrets have in common.

export const secretHashFlag: FlagSpec = {
  name: "append-hash",
  type: "bool",
  usage: "Append a hash of the content to the name",
};

export interface CreateSecretOptions extends GeneratedOptions {
  readonly appendHash: boolean;
}

/** Creates a secret. `fill` adds its keys; with the `type` "" the server chooses the type. */
export async function createSecret(
  type: string,
  options: CreateSecretOptions,
  fill: (add: AddKey) => void,
): Promise<void> {
  const { name, appendHash } = options;
  const data: Record<string, string> = {};
  fill((key, value) => {
    requireNewKey(key, data);
    setKey(data, key, Buffer.from(value).toString("base64"));
  });
  const suffix = appendHash ? `-${secretHash({ name, type, data })}` : "";
  const metadata = namespacedMetadata({ ...options, name: `${name}${suffix}` });
  await createGenerated({ kind: "Secret", apiVersion: "v1", metadata, type, data }, options, "failed to create secret");
}

function requireNewKey(key: string, taken: object): void {
  const faults = configMapKeyErrors(key);
  if (faults.length > 0) throw new Error(`${goQuote(key)} is not valid key name for a Secret ${faults.join(";")}`);
  if (Object.hasOwn(taken, key)) throw new Error(`cannot add key ${key}, another key by that name already exists`);
}

export interface CreateGenericSecretOptions extends CreateSecretOptions {
  /** "" is Opaque. */
  readonly type: string;
  readonly sources: KeySources;
  readonly surroundings: Pick<Factory, "cwd" | "env" | "files">;
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
    execute: async (factory, invocation) => run(await completeGeneric(factory, invocation)),
  };
}

async function completeGeneric(factory: Factory, invocation: Invocation): Promise<CreateGenericSecretOptions> {
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
    for (const file of sources.files) addFromFile(file, surroundings, add);
    for (const file of sources.envFiles) addFromEnvFile(file, "secret", surroundings, add);
  });
}

export interface CreateRegistrySecretOptions extends CreateSecretOptions {
  /** Each as key=file; with them the rest does not count. */
  readonly files: readonly string[];
  readonly username: string;
  readonly password: string;
  readonly email: string;
  readonly server: string;
  readonly place: Place;
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
    execute: async (factory, invocation) => run(await completeDockerRegistry(factory, invocation)),
  };
}

async function completeDockerRegistry(factory: Factory, invocation: Invocation): Promise<CreateRegistrySecretOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    files: flags.strings("from-file").map((file) => (file.includes("=") ? file : `${CONFIG_KEY}=${file}`)),
    username: flags.string("docker-username"),
    password: flags.string("docker-password"),
    email: flags.string("docker-email"),
    server: flags.string("docker-server"),
    appendHash: flags.bool("append-hash"),
    place: factory,
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
    for (const file of options.files) addFromFile(file, options.place, add);
    if (options.files.length === 0) add(CONFIG_KEY, new TextEncoder().encode(dockerConfig(options)));
  });
}

function dockerConfig({ username, password, email, server }: CreateRegistrySecretOptions): string {
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  return encodeJson({ auths: { [server]: { username, password, email: email || undefined, auth } } });
}

export interface CreateTlsSecretOptions extends CreateSecretOptions {
  /** Paths of PEM files. */
  readonly certificate: string;
  readonly key: string;
  readonly place: Place;
}

export function createTlsSecretCommand(run = runCreateTlsSecret): Command {
  return {
    use: "tls NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
    description:
      "Create a secret that holds a certificate and its key. Both are PEM files, and must belong to each other.",
    examples: `# With a certificate and its key
{{program}} create secret tls tls-secret --cert=path/to/tls.crt --key=path/to/tls.key`,
    flags: [
      ...generatedFlags,
      { name: "cert", type: "string", usage: "PEM file with the certificate" },
      { name: "key", type: "string", usage: "PEM file with the certificate's private key" },
      secretHashFlag,
    ],
    execute: async (factory, invocation) => run(await completeTls(factory, invocation)),
  };
}

async function completeTls(factory: Factory, invocation: Invocation): Promise<CreateTlsSecretOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    certificate: flags.string("cert"),
    key: flags.string("key"),
    appendHash: flags.bool("append-hash"),
    place: factory,
  };
  if (options.key === "" || options.certificate === "") throw new Error("key and cert must be specified");
  return options;
}

export async function runCreateTlsSecret(options: CreateTlsSecretOptions): Promise<void> {
  const certificate = read(options.certificate, options.place);
  const key = read(options.key, options.place);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
  readKeyPair({ certificate: text(certificate), key: text(key) });
  await createSecret("kubernetes.io/tls", options, (add) => {
    add("tls.crt", certificate);
    add("tls.key", key);
  });
}

function read(path: string, place: Place): Uint8Array {
  try {
    return readBytes(path, place);
  } catch (error) {
    throw new Error(`Cannot read file ${path}, ${(error as Error).message}`, { cause: error });
  }
}
