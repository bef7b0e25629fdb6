import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { systemTimers } from "../../src/base/time/timers.js";
import type { Transport } from "../../src/client/transport/transport.js";
import type { ContainerRuntime } from "../../src/node/container-runtime.js";
import type { KubeletTls } from "../../src/node/kubelet-api/kubelet-api.js";
import { type NodeAgent, startNodeAgent } from "../../src/node/node-agent.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import { ScriptedRuntime } from "../../src/node/scripted/scripted-runtime.js";
import { kubeletCertificates } from "./kubelet-certificate.js";

const HOST = "127.0.0.1";

/** Certificates between a real kube-apiserver and the kubelets that it asks. */
export interface KubeletTrust extends Disposable {
  /** kube-apiserver's flags: its client certificate, the kubelets' authority, and the kind of address it reaches nodes at. */
  readonly flags: readonly string[];
  /** Of a kubelet. */
  readonly tls: KubeletTls;
}

export function kubeletTrust(): KubeletTrust {
  const folder = mkdtempSync(join(tmpdir(), "kubets-kubelets-"));
  const { authority, kubelet, client } = kubeletCertificates();
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

/** Starts the node "node-1", which registers itself over `transport` and runs the pods that are bound to it. */
export function startOutsideNode(
  transport: Transport,
  tls: KubeletTls,
  runtime: ContainerRuntime,
  reportError: (error: unknown) => void,
): Promise<NodeAgent> {
  const socket = { host: HOST, port: 0 };
  const parts = { clock: systemClock, timers: systemTimers, reportError };
  return startNodeAgent({ name: "node-1", transport, runtime, tls, socket, ...parts });
}

/** The containers of such a node, in memory. */
export const scriptedRuntime = (images: Readonly<Record<string, ScriptedImage>>): ScriptedRuntime =>
  new ScriptedRuntime({ images, clock: systemClock, timers: systemTimers, random: systemRandom });
