import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { modifyProperty } from "./modify-property.js";
import { parsePropertyPath } from "./property-path.js";

export interface SetOptions {
  readonly access: KubeconfigAccess;
  readonly property: string;
  readonly value: string;
  readonly rawBytes: boolean;
}

export function setCommand(run = runSet): Command {
  return {
    use: "set PROPERTY_NAME PROPERTY_VALUE",
    description: `Set one value of a kubeconfig.

PROPERTY_NAME is a path: names of fields and of entries, joined by dots.

PROPERTY_VALUE is the new value. Fields that hold bytes, such as certificate-authority-data, expect base64 unless --set-raw-bytes is given.`,
    examples: `# Set the server of the cluster my-cluster
{{program}} config set clusters.my-cluster.server https://1.2.3.4

# Set its certificate authority
{{program}} config set clusters.my-cluster.certificate-authority-data $(base64 -w0 ca.crt)

# Set the cluster of the context my-context
{{program}} config set contexts.my-context.cluster my-cluster

# Set bytes as they are
{{program}} config set users.cluster-admin.client-key-data key_here --set-raw-bytes=true`,
    flags: [
      {
        name: "set-raw-bytes",
        type: "bool",
        usage: "Write the value of a field of bytes as it is, without decoding base64",
      },
    ],
    execute: async (factory, invocation) =>
      run(await complete(invocation, accessOf(factory, invocation)), factory.streams),
  };
}

async function complete(invocation: Invocation, access: KubeconfigAccess): Promise<SetOptions> {
  const [property = "", value = ""] = invocation.args;
  if (invocation.args.length !== 2) throw await unexpectedArgs(invocation);
  if (value === "") throw new Error("you cannot use set to unset a property");
  if (property === "") throw new Error("you must specify a property");
  return { access, property, value, rawBytes: invocation.flags.bool("set-raw-bytes") };
}

export async function runSet({ access, property, value, rawBytes }: SetOptions, streams: Streams): Promise<void> {
  const config = await access.start();
  modifyProperty(config, parsePropertyPath(property), { value, rawBytes });
  await access.modify(config, false);
  streams.out.write(`Property ${goQuote(property)} set.\n`);
}
