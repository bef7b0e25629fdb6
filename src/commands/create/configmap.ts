import { setKey } from "../../machinery/wire/json/own-keys.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { configMapHash } from "../../polymorphic-helpers/content-hash.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { configMapKeyErrors } from "../../machinery/validation/names.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
} from "./generated.js";
import {
  addFromEnvFile,
  addFromFile,
  addFromLiteral,
  type AddKey,
  asText,
  keySourceFlags,
  type KeySources,
  readKeySources,
} from "./key-sources.js";

export interface CreateConfigMapOptions extends GeneratedOptions {
  readonly sources: KeySources;
  readonly appendHash: boolean;
  readonly surroundings: Pick<Factory, "cwd" | "env" | "files">;
}

export function createConfigMapCommand(run = runCreateConfigMap): Command {
  return {
    use: "configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    description: `Create a config map from files, directories, literal values or env files.

A file's key is its name unless another is given; of a directory, each file with a name that can be a key is taken,
and nothing that is not a plain file.`,
    examples: `# With a key for each file of the directory bar
{{program}} create configmap my-config --from-file=path/to/bar

# With keys that are not the files' names
{{program}} create configmap my-config --from-file=key1=/path/to/bar/file1.txt --from-file=key2=/path/to/bar/file2.txt

# With two values as they are
{{program}} create configmap my-config --from-literal=key1=config1 --from-literal=key2=config2

# With what an env file says
{{program}} create configmap my-config --from-env-file=path/to/bar.env`,
    flags: [
      ...generatedFlags,
      ...keySourceFlags("config map"),
      { name: "append-hash", type: "bool", usage: "Append a hash of the content to the name" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateConfigMapOptions> {
  const options = await completeGenerated(factory, invocation);
  requireName(options);
  const { flags } = invocation;
  const sources = readKeySources(flags);
  return { ...options, sources, appendHash: flags.bool("append-hash"), surroundings: factory };
}

export async function runCreateConfigMap(options: CreateConfigMapOptions): Promise<void> {
  await createGenerated(configMap(options), options, "failed to create configmap:");
}

function configMap(options: CreateConfigMapOptions): KubeObject {
  const { sources, surroundings, appendHash, name } = options;
  const data: Record<string, string> = {};
  const binaryData: Record<string, string> = {};
  const add: AddKey = (key, value) => {
    requireNewKey(key, name, { Data: data, BinaryData: binaryData });
    const text = asText(value);
    if (text === undefined) setKey(binaryData, key, Buffer.from(value).toString("base64"));
    else setKey(data, key, text);
  };
  for (const file of sources.files) addFromFile(file, surroundings, add);
  for (const literal of sources.literals) addFromLiteral(literal, add);
  for (const file of sources.envFiles) addFromEnvFile(file, "config", surroundings, add);
  const suffix = appendHash ? `-${configMapHash({ name, data, binaryData })}` : "";
  const metadata = namespacedMetadata({ ...options, name: `${name}${suffix}` });
  return { kind: "ConfigMap", apiVersion: "v1", metadata, data, binaryData };
}

function requireNewKey(key: string, name: string, taken: Readonly<Record<string, object>>): void {
  const faults = configMapKeyErrors(key);
  if (faults.length > 0) {
    throw new Error(`${goQuote(key)} is not a valid key name for a ConfigMap: ${faults.join(",")}`);
  }
  for (const [field, keys] of Object.entries(taken)) {
    if (!Object.hasOwn(keys, key)) continue;
    const where = `another key by that name already exists in ${field} for ConfigMap ${goQuote(name)}`;
    throw new Error(`cannot add key ${goQuote(key)}, ${where}`);
  }
}
