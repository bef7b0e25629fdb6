import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";
import { systemTimers } from "../../src/base/timers.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { issueCertificate, type Issuer, issuerOf, type KeyPair } from "../../src/cluster/pki/certificate.js";
import type { KubeletTls } from "../../src/node/kubelet-api/kubelet-api.js";
import { type NodeAgent, startNodeAgent } from "../../src/node/node-agent.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { ScriptedRuntime } from "../../src/node/scripted/scripted-runtime.js";

const DAY = 86_400_000;
const HOST = "127.0.0.1";
const AUTHORITY = "kubelets";

/** Certificates between a real kube-apiserver and the kubelets that it asks. */
export interface KubeletTrust extends Disposable {
  /** kube-apiserver's flags: its client certificate, the kubelets' authority, and the kind of address it reaches nodes at. */
  readonly flags: readonly string[];
  /** Of a kubelet. */
  readonly tls: KubeletTls;
}

export function kubeletTrust(): KubeletTrust {
  const folder = mkdtempSync(join(tmpdir(), "kubets-kubelets-"));
  const [notBefore, notAfter] = [Date.now() - DAY, Date.now() + DAY];
  const certificate = (
    serial: number,
    commonName: string,
    usage: "ca" | "server" | "client",
    more: { readonly names?: readonly string[]; readonly issuer?: Issuer } = {},
  ): KeyPair => {
    const { issuer, ...names } = more;
    return issueCertificate(
      { commonName, notBefore, notAfter, serial: Buffer.from([serial]), usage, ...names },
      issuer,
    );
  };
  const authority = certificate(1, AUTHORITY, "ca");
  const issuer = issuerOf(authority, AUTHORITY);
  const kubelet = certificate(2, "system:node:node-1", "server", { names: [HOST], issuer });
  const client = certificate(3, "kube-apiserver-kubelet-client", "client", { issuer });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    flags: [
      `--kubelet-certificate-authority=${file("ca.crt", authority.certificate)}`,
      `--kubelet-client-certificate=${file("client.crt", client.certificate)}`,
      `--kubelet-client-key=${file("client.key", client.key)}`,
      "--kubelet-preferred-address-types=InternalIP",
    ],
    tls: { ...kubelet, clientCa: authority.certificate },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts a node whose API server runs outside this process: it registers itself and runs the pods that are bound to it. */
export function startOutsideNode(
  transport: Transport,
  tls: KubeletTls,
  images: Readonly<Record<string, ScriptedImage>>,
  reportError: (error: unknown) => void,
): Promise<NodeAgent> {
  const parts = { clock: systemClock, timers: systemTimers };
  return startNodeAgent({
    name: "node-1",
    transport,
    runtime: new ScriptedRuntime({ ...parts, images, random: systemRandom }),
    tls,
    socket: { host: HOST, port: 0 },
    ...parts,
    reportError,
  });
}
