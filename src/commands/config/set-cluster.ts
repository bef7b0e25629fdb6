import { resolve } from "node:path";
import { goQuote } from "../../base/text/go-quote.js";
import type { KubeconfigCluster } from "../../client/config/kubeconfig.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { readEmbedded, requireEmbeddable } from "./embed.js";

export interface SetClusterOptions {
  readonly access: KubeconfigAccess;
  readonly name: string;
  /** Each undefined when it was not given. */
  readonly server: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecure: boolean | undefined;
  readonly authority: string | undefined;
  readonly embed: boolean;
  readonly proxyUrl: string | undefined;
}

export function setClusterCommand(run = runSetCluster): Command {
  return {
    use: "set-cluster NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
    description: `Set a cluster of the kubeconfig.

A cluster of that name keeps what is not given.`,
    examples: `# Change the server of the cluster e2e and nothing else
{{program}} config set-cluster e2e --server=https://1.2.3.4

# Put a certificate authority into the kubeconfig itself
{{program}} config set-cluster e2e --embed-certs --certificate-authority=~/.kube/e2e/kubernetes.ca.crt

# Do not check the certificate of the cluster e2e
{{program}} config set-cluster e2e --insecure-skip-tls-verify=true

# Expect another name in its certificate
{{program}} config set-cluster e2e --tls-server-name=my-cluster-name

# Reach it through a proxy
{{program}} config set-cluster e2e --proxy-url=https://1.2.3.4`,
    flags: [
      {
        name: "certificate-authority",
        type: "string",
        usage: "File with the certificate authority that signed the server's certificate",
      },
      {
        name: "embed-certs",
        type: "bool",
        usage: "Put the certificate authority itself into the kubeconfig, not the path of its file",
      },
      {
        name: "insecure-skip-tls-verify",
        type: "bool",
        usage: "Do not check the server's certificate",
      },
      { name: "proxy-url", type: "string", usage: "Proxy through which the server is reached" },
      { name: "server", type: "string", usage: "Address of the API server, such as https://1.2.3.4:6443" },
      {
        name: "tls-server-name",
        type: "string",
        usage: "Name the server's certificate must carry instead of its address",
      },
    ],
    execute: async (factory, invocation) =>
      run(await complete(invocation, accessOf(factory, invocation)), factory.streams),
  };
}

async function complete(invocation: Invocation, access: KubeconfigAccess): Promise<SetClusterOptions> {
  const { args, flags } = invocation;
  const [name = ""] = args;
  if (args.length !== 1) throw await unexpectedArgs(invocation);
  if (name === "") throw new Error("you must specify a non-empty cluster name");
  const authority = flags.string("certificate-authority");
  const embed = flags.bool("embed-certs");
  if (flags.bool("insecure-skip-tls-verify") && authority !== "") {
    throw new Error("you cannot specify a certificate authority and insecure mode at the same time");
  }
  if (embed && authority === "") throw new Error("you must specify a --certificate-authority to embed");
  if (embed) requireEmbeddable("certificate-authority", authority, access.sources.cwd);
  const text = (flag: string): string | undefined => (flags.changed(flag) ? flags.string(flag) : undefined);
  return {
    access,
    name,
    server: text("server"),
    tlsServerName: text("tls-server-name"),
    insecure: flags.changed("insecure-skip-tls-verify") ? flags.bool("insecure-skip-tls-verify") : undefined,
    authority: text("certificate-authority"),
    embed,
    proxyUrl: text("proxy-url"),
  };
}

export async function runSetCluster(options: SetClusterOptions, streams: Streams): Promise<void> {
  const { access, name } = options;
  const config = await access.start();
  config.clusters.set(name, changedCluster(config.clusters.get(name) ?? { origin: "" }, options));
  await access.modify(config, true);
  streams.out.write(`Cluster ${goQuote(name)} set.\n`);
}

/** A new server forgets the name expected in the old one's certificate; insecure mode and authorities exclude each other. */
function changedCluster(existing: KubeconfigCluster, options: SetClusterOptions): KubeconfigCluster {
  const cluster = { ...existing };
  const { server, tlsServerName, insecure, authority, embed, proxyUrl } = options;
  const { cwd } = options.access.sources;
  if (server !== undefined) {
    cluster.server = server;
    delete cluster["tls-server-name"];
  }
  if (tlsServerName !== undefined) cluster["tls-server-name"] = tlsServerName;
  if (insecure !== undefined) cluster["insecure-skip-tls-verify"] = insecure;
  if (insecure === true) {
    delete cluster["certificate-authority"];
    delete cluster["certificate-authority-data"];
  }
  if (authority !== undefined && embed) {
    const data = readEmbedded(authority, cwd);
    delete cluster["certificate-authority-data"];
    if (data !== undefined) cluster["certificate-authority-data"] = data;
    cluster["insecure-skip-tls-verify"] = false;
    delete cluster["certificate-authority"];
  } else if (authority !== undefined) {
    cluster["certificate-authority"] = resolve(cwd, authority);
    cluster["insecure-skip-tls-verify"] = false;
    delete cluster["certificate-authority-data"];
  }
  if (proxyUrl !== undefined) cluster["proxy-url"] = proxyUrl;
  return cluster;
}
