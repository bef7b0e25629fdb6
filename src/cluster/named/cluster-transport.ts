import { readFile } from "node:fs/promises";
import type { Clock } from "../../base/time/clock.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { clustersFolder } from "../../client/config/named-cluster.js";
import { createTransport } from "../../client/transport/create-transport.js";
import { debuggingTransport } from "../../client/transport/debugging-transport.js";
import type { Transport } from "../../client/transport/transport.js";
import { kubernetesClient, type KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { ClusterHome, type ClusterRecord, namedClusterError } from "./cluster-home.js";

export interface ReachOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log?: VerboseLog | undefined;
}

interface KubeconfigFile {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data": string } }[];
  readonly users: readonly {
    readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
}

/** Makes a client of a named cluster with the rights of its administrator. Throws when the cluster's own kubeconfig cannot be read. */
export async function clusterClient(
  { name, record }: { readonly name: string; readonly record: ClusterRecord },
  around: ReachOptions & { readonly cwd: string },
): Promise<KubernetesClient> {
  const home = new ClusterHome(clustersFolder(around.env, around.cwd), name);
  const transport = await clusterTransport(home, record, around);
  if (transport === undefined)
    throw namedClusterError(
      `the kubeconfig in the folder of cluster "${name}" cannot be read; stop the cluster and start it again`,
    );
  return kubernetesClient({ transport: () => transport });
}

/**
 * Makes a transport to a named cluster's server with the rights of its administrator, by the cluster's own kubeconfig; undefined
 * when that cannot be read.
 */
export async function clusterTransport(
  home: ClusterHome,
  record: ClusterRecord,
  { env, clock, log }: ReachOptions,
): Promise<Transport | undefined> {
  let config: KubeconfigFile;
  try {
    config = JSON.parse(await readFile(home.kubeconfig, "utf8")) as KubeconfigFile;
  } catch {
    return undefined;
  }
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64");
  const plain = createTransport(
    {
      server: record.url,
      tls: {
        insecureSkipVerify: false,
        caData: bytes(config.clusters[0]?.cluster["certificate-authority-data"]),
        certData: bytes(config.users[0]?.user["client-certificate-data"]),
        keyData: bytes(config.users[0]?.user["client-key-data"]),
      },
    },
    { env, clock },
  );
  return log ? debuggingTransport(plain, { log, clock, origin: record.url, hidden: new Set() }) : plain;
}
