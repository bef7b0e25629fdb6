import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import type { ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import type { ClusterParts } from "../../controllers/context.js";
import { certificatesIn } from "../../machinery/crypto/certificates.js";
import { signingKey, signToken } from "../../machinery/crypto/jwt/jws.js";
import { processRandom } from "../programs/surroundings.js";
import { WORKERS } from "./worker-flags.js";
import { readSigning } from "./signing.js";

/** The parts that the flags of kube-controller-manager give to controllers, and the controllers that lack theirs. */
export interface GivenParts {
  readonly parts: ClusterParts;
  /** Why controllers are disabled, by their names. */
  readonly disabled: ReadonlyMap<string, string>;
}

/** Reads the files that the flags name. Rejects for files that cannot be read or have the wrong content. */
export async function readClusterParts(
  flags: Flags,
  config: ClientConfig,
  { cwd, clock }: Pick<ComponentContext, "cwd" | "clock">,
): Promise<GivenParts> {
  const file = (name: string): string => (flags.string(name) === "" ? "" : resolve(cwd, flags.string(name)));
  const signing = await readSigning(flags, { file, clock, random: processRandom });
  const tokenKey = await readTokenKey(file("service-account-private-key-file"));
  const podRange = podRangeOf(flags);
  const disabled = new Map<string, string>();
  if (signing === undefined) {
    disabled.set("certificatesigningrequest-signing-controller", "no --cluster-signing-cert-file and -key-file");
  }
  if (tokenKey === undefined) {
    disabled.set("serviceaccount-token-controller", "there is no private key (--service-account-private-key-file)");
  }
  const caCertificate = await rootAuthority(file("root-ca-file"), config);
  if (caCertificate === "") {
    disabled.set(
      "root-ca-certificate-publisher-controller",
      "neither --root-ca-file nor --kubeconfig has an authority",
    );
  }
  if (!flags.bool("enable-garbage-collector"))
    disabled.set("garbage-collector-controller", "--enable-garbage-collector=false");
  return {
    disabled,
    parts: {
      caCertificate,
      // Kubelets end the pods of their nodes themselves.
      hasKubelet: () => true,
      nodeMonitorGracePeriod: flags.duration("node-monitor-grace-period"),
      terminatedPodThreshold: flags.number("terminated-pod-gc-threshold"),
      workers: workersOf(flags),
      ...(podRange && { podRange }),
      ...(signing && { signers: signing.signers }),
      signClient: signing?.signClient ?? (() => Promise.reject(new Error("no authority signs certificates"))),
      signToken(claims) {
        if (tokenKey === undefined) throw new Error("no key signs tokens");
        return signToken(claims, tokenKey);
      },
    },
  };
}

async function readTokenKey(path: string): Promise<ReturnType<typeof signingKey> | undefined> {
  if (path === "") return undefined;
  try {
    return signingKey(createPrivateKey(await readText(path)));
  } catch (error) {
    throw new Error(`error reading key for service account token controller: ${errorMessage(error)}`, { cause: error });
  }
}

/** The authority that pods verify the API server by: of the file, else of the kubeconfig; "" where neither has one. */
async function rootAuthority(path: string, { tls }: ClientConfig): Promise<string> {
  if (path === "") {
    if (tls.caData !== undefined) return Buffer.from(tls.caData).toString("latin1");
    return tls.caFile === undefined ? "" : readText(tls.caFile);
  }
  const text = (await readFile(path).catch((error: unknown) => failedRoot(path, error))).toString("latin1");
  try {
    certificatesIn(text);
    return text;
  } catch (error) {
    return failedRoot(path, error);
  }
}

function failedRoot(path: string, error: unknown): never {
  throw new Error(`error parsing root-ca-file at ${path}: ${errorMessage(error)}`, { cause: error });
}

function podRangeOf(flags: Flags): ClusterParts["podRange"] {
  if (!flags.bool("allocate-node-cidrs")) return undefined;
  const cidr = flags.string("cluster-cidr");
  if (cidr === "") throw new Error("--cluster-cidr must be set when --allocate-node-cidrs=true");
  const nodeMask = flags.number("node-cidr-mask-size-ipv4") || flags.number("node-cidr-mask-size") || 24;
  const length = Number(cidr.split("/")[1]);
  if (nodeMask < length || nodeMask > 32) {
    throw new Error(
      `the size of the node CIDR mask is ${nodeMask}: it must be from ${length}, that of --cluster-cidr, to 32`,
    );
  }
  const reserved = flags.string("service-cluster-ip-range").split(",").filter(Boolean);
  return { cidr, nodeMask, reserved };
}

function workersOf(flags: Flags): Readonly<Record<string, number>> {
  const given = WORKERS.filter(({ flag }) => flags.has(flag) && flags.changed(flag));
  return Object.fromEntries(given.map(({ flag, section }) => [controllerOf(section, flag), flags.number(flag)]));
}

/** The section of a flag is named for its controller, but for that of tokens. */
const controllerOf = (section: string, flag: string): string =>
  flag === "concurrent-serviceaccount-token-syncs" ? "serviceaccount-token-controller" : section;
