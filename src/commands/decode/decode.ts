import { resolve } from "node:path";
import { errorCode, PathError } from "../../base/files/path-error.js";
import { type Command, Directive, type Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import { warnTo } from "../../cli/warn.js";
import { etcdSection } from "../../component/apiserver-flags/etcd.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import { jsonPrinter, yamlPrinter } from "../../printers/object-printers.js";
import { readAll } from "../../resource/document-source.js";

const FORMATS = ["yaml", "json", "protobuf"] as const;

export interface DecodeCommandOptions {
  readonly format: (typeof FORMATS)[number];
  readonly read: () => Promise<Uint8Array>;
  readonly write: (text: string | Uint8Array) => void;
  /** Absent: the value is not encrypted. */
  readonly decrypt?: ((value: Uint8Array, key: string) => Promise<Uint8Array>) | undefined;
}

/** The command `decode`, kubets' own, which works like auger. */
export function decodeCommand(run = runDecode): Command {
  return {
    use: "decode [FILE | -] [-o yaml|json|protobuf]",
    description: `Print a value that an API server stored, from a file or from stdin. No server is asked.

The value may be protobuf or JSON, as etcd, SQLite and PostgreSQL hold it, or the YAML of a file. Hexadecimal digits and base64 are read too, and the key that etcdctl prints above the value.`,
    examples: `# A key of etcd
etcdctl get --print-value-only /registry/pods/default/web | {{program}} decode

# A row of PostgreSQL, as JSON
psql -Atc "SELECT value FROM kubets_revisions WHERE revision = 812" | {{program}} decode -o json

# A Secret that is encrypted
etcdctl get /registry/secrets/default/token | {{program}} decode --encryption-provider-config=encryption.yaml

# What etcd would hold of a manifest
{{program}} decode deployment.yaml -o protobuf >value`,
    flags: [
      { name: "output", short: "o", type: "string", default: "yaml", usage: `Output format: ${FORMATS.join(", ")}.` },
      flagOf(etcdSection, "encryption-provider-config", {
        usage: "The file with the keys that the value may be encrypted by (EncryptionConfiguration).",
      }),
      {
        name: "key",
        type: "string",
        default: "",
        usage:
          "The key that the value was stored under, which providers aesgcm and kms have made a part of it. Not needed where it stands above the value.",
      },
    ],
    outputMustArrive: true,
    validateArgs: (invocation) => {
      const { args } = invocation;
      if (args.length > 1) throw usageError(invocation, `expected at most 1 argument, got ${args.length}`);
    },
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeFlags: {
      output: async (_, __, typed) => ({
        candidates: FORMATS.filter((format) => format.startsWith(typed)),
        directive: Directive.NoFileComp,
      }),
    },
  };
}

function complete(factory: Factory, invocation: Invocation): DecodeCommandOptions {
  const { streams, files, cwd } = factory;
  const [file = "-"] = invocation.args;
  const given = invocation.flags.string("output");
  const format = FORMATS.find((one) => one === given);
  if (format === undefined) {
    throw usageError(invocation, `invalid value "${given}" for --output: use ${FORMATS.join(", ")}`);
  }
  return {
    format,
    read: () =>
      file === "-"
        ? readAll(streams.in as AsyncIterable<Uint8Array>)
        : files.readFile(resolve(cwd, file)).catch((error: unknown) => {
            throw new PathError(errorCode(error) === "EISDIR" ? "read" : "open", file, error);
          }),
    write: (text) => void streams.out.write(text),
    decrypt: decryptionOf(factory, invocation),
  };
}

function decryptionOf(
  { clock, cwd, streams, colours }: Factory,
  { flags }: Invocation,
): DecodeCommandOptions["decrypt"] {
  const [file, key] = [flags.string("encryption-provider-config"), flags.string("key")];
  if (file === "") return undefined;
  return async (value, shown) => {
    const { decryptStored } = await import("../../cluster/stored/index.js");
    return decryptStored(value, key || shown, { file: resolve(cwd, file), clock, warn: warnTo(streams, colours) });
  };
}

export async function runDecode({ format, read, write, decrypt }: DecodeCommandOptions): Promise<void> {
  const { decodeValue, encodeValue, readKey, readValue } = await import("../../cluster/stored/index.js");
  const input = await read();
  const value = readValue(input);
  const { object } = decodeValue(decrypt === undefined ? value : await decrypt(value, readKey(input)));
  if (format === "protobuf") return write(encodeValue(object, "application/vnd.kubernetes.protobuf"));
  (format === "json" ? jsonPrinter() : yamlPrinter()).print(object, write);
}
