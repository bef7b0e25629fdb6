import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { completeGenerated, generatedFlags } from "./generated.js";
import { readBytes } from "./key-sources.js";
import { createSecret, type CreateSecretOptions, secretHashFlag } from "./secret.js";
import { readKeyPair } from "../../machinery/crypto/key-pair.js";

export interface CreateTlsSecretOptions extends CreateSecretOptions {
  /** Paths of PEM files. */
  readonly certificate: string;
  readonly key: string;
  readonly cwd: string;
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
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateTlsSecretOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    certificate: flags.string("cert"),
    key: flags.string("key"),
    appendHash: flags.bool("append-hash"),
    cwd: factory.cwd,
  };
  if (options.key === "" || options.certificate === "") throw new Error("key and cert must be specified");
  return options;
}

export async function runCreateTlsSecret(options: CreateTlsSecretOptions): Promise<void> {
  const certificate = read(options.certificate, options.cwd);
  const key = read(options.key, options.cwd);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
  readKeyPair({ certificate: text(certificate), key: text(key) });
  await createSecret("kubernetes.io/tls", options, (add) => {
    add("tls.crt", certificate);
    add("tls.key", key);
  });
}

function read(path: string, cwd: string): Uint8Array {
  try {
    return readBytes(path, cwd);
  } catch (error) {
    throw new Error(`Cannot read file ${path}, ${(error as Error).message}`, { cause: error });
  }
}
