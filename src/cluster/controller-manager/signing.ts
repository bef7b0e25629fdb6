import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Flags } from "../../component/flags/flag-set.js";
import type { SignClient } from "../../controllers/certificates/certificate-signer.js";
import { foreignAuthority } from "../pki/foreign-authority.js";
import type { Issuer } from "../../machinery/crypto/issue-certificate.js";
import { signClientRequest } from "../pki/sign-request.js";

/** The signers whose requests the controller answers, with the part of their flags' names. */
const SIGNERS = [
  ["kubernetes.io/kube-apiserver-client", "kube-apiserver-client"],
  ["kubernetes.io/kube-apiserver-client-kubelet", "kubelet-client"],
] as const;

/** Signs certificates by the authorities of flags. */
export interface ClientSigning {
  readonly signers: ReadonlySet<string>;
  readonly signClient: SignClient;
}

/**
 * Reads the CAs that the flags name; undefined where they name none. Rejects in kube-controller-manager's words for one file
 * without the other, and for an invalid CA.
 */
export async function readSigning(
  flags: Flags,
  { file, clock, random }: { readonly file: (flag: string) => string; readonly clock: Clock; readonly random: Random },
): Promise<ClientSigning | undefined> {
  const common = await readAuthority("cluster-signing", file);
  const issuers = new Map<string, Issuer>();
  for (const [signer, part] of SIGNERS) {
    const own = await readAuthority(`cluster-signing-${part}`, file);
    if (own !== undefined && common !== undefined) {
      throw new Error(
        `cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time`,
      );
    }
    const issuer = own ?? common;
    if (issuer !== undefined) issuers.set(signer, issuer);
  }
  if (issuers.size === 0) return undefined;
  const longest = flags.duration("cluster-signing-duration");
  return {
    signers: new Set(issuers.keys()),
    async signClient(request, { notBefore, notAfter }, signer) {
      const issuer = issuers.get(signer);
      if (issuer === undefined) throw new Error(`no authority signs for ${signer}`);
      const end = Math.min(notAfter, clock.now() + longest);
      return signClientRequest(request, { notBefore, notAfter: end, serial: random.bytes(16) }, issuer);
    },
  };
}

async function readAuthority(prefix: string, file: (flag: string) => string): Promise<Issuer | undefined> {
  const [certFile, keyFile] = [file(`${prefix}-cert-file`), file(`${prefix}-key-file`)];
  if (certFile === "" && keyFile === "") return undefined;
  if (certFile === "") throw new Error(`--${prefix}-cert-file is missing: --${prefix}-key-file needs it`);
  if (keyFile === "") throw new Error(`--${prefix}-key-file is missing: --${prefix}-cert-file needs it`);
  const [certificate, key] = await Promise.all([readText(certFile), readText(keyFile)]);
  try {
    return foreignAuthority({ certificate, key });
  } catch (error) {
    throw new Error(`error reading CA cert file ${JSON.stringify(certFile)}: ${errorMessage(error)}`, { cause: error });
  }
}
