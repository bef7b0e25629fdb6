import type { ApiRegistry } from "../server/api-registry/api-registry.js";
import { nodePortRegistry } from "../server/builtin/core/services/node-ports.js";
import type { ResourceRecord } from "../server/endpoints/resource-record.js";
import type { ClusterNetwork } from "../server/kubelet/cluster-network.js";
import type { TokenIssuer } from "../server/request/token-issuer.js";
import type { GivenServing } from "./composition.js";
import type { IdentityFiles } from "./pki/identity-files.js";

/** The settings that kube-apiserver has flags for, and that a cluster chooses by itself. */
export interface GivenSetup {
  readonly serving: GivenServing;
  /** The address that the endpoints of the Service "kubernetes" name. */
  readonly advertisedAddress: string;
  /** The port that they name. Undefined: the one that the server listens on. */
  readonly advertisedPort?: number | undefined;
  /** Whether the server keeps these endpoints. */
  readonly keepsEndpoints: boolean;
  /** Where cluster IPs come from: an IPv4 block, "10.0.0.0/24". */
  readonly serviceCidr: string;
  /** The node port of the Service "kubernetes"; 0 for none. */
  readonly serviceNodePort: number;
  /** Where services get node ports from, both ends included. */
  readonly nodePorts: { readonly first: number; readonly last: number };
  /** How the server reaches kubelets. */
  readonly kubelets: Pick<ClusterNetwork, "kubeletClient" | "kubeletVerification"> & {
    readonly addressTypes: readonly string[];
  };
  /** How the server hands requests to the services of APIServices. */
  readonly aggregator: {
    readonly rejectsRedirects: boolean;
    /** What it shows to them; undefined where no flag names a certificate. */
    readonly frontProxy: IdentityFiles | undefined;
  };
  /** Returns the built-in resources as the flags have them. */
  readonly adaptRecords: (records: readonly ResourceRecord[]) => readonly ResourceRecord[];
  readonly tokenIssuer: TokenIssuer;
}

/** Stores the range of node ports, before the first service is allocated one. */
export async function openNodePorts(registry: ApiRegistry, { nodePorts }: GivenSetup): Promise<void> {
  const stored = nodePortRegistry(registry, nodePorts);
  const { ports, version } = await stored.read();
  await stored.write(ports, version);
}

/** The network settings by which the server reaches kubelets. */
export function kubeletsOf({ kubelets: { addressTypes, ...parts } }: GivenSetup): ClusterNetwork {
  return { kubeletAddressTypes: addressTypes, ...parts };
}
