import { generateKeyPairSync } from "node:crypto";
import { pause } from "../base/time/pause.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { newCertificateRequest } from "../machinery/crypto/new-certificate-request.js";
import { isNotFound } from "../machinery/errors/status-error.js";
import { object, objects, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { formatTime } from "../machinery/meta/time.js";
import { actionSurroundings, type ActionSurroundings } from "./surroundings.js";
import { poll } from "./wait/poll.js";
import type { ActionClient } from "./target.js";

/** A certificate and its key, both PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface ClientCertificateOptions extends ActionSurroundings {
  readonly user: string;
  readonly groups: readonly string[];
  /** Milliseconds that the signer may take. Default: 30,000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SIGNER = "kubernetes.io/kube-apiserver-client";
const INTERVAL_MS = 100;

/**
 * Makes a key, and has the cluster sign a certificate for it: it creates a CertificateSigningRequest, approves it as the client's
 * user, waits for the signer, and deletes the request in any case. Throws the server's errors, and an Error when the request was
 * denied, failed, or was not signed in time.
 */
export async function requestClientCertificate(
  { rest }: Pick<ActionClient, "rest">,
  options: ClientCertificateOptions,
): Promise<ClientCertificate> {
  const { user, groups, timeout = 30_000, signal } = options;
  const { clock, timers } = actionSurroundings(options);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const request = newCertificateRequest(user, groups, privateKey);
  const asked = await send(rest, "POST", PATH, {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { generateName: "user-" },
    spec: { request: Buffer.from(request).toString("base64"), signerName: SIGNER, usages: ["client auth"] },
  });
  const path = `${PATH}/${asked.metadata?.name ?? ""}`;
  try {
    const now = formatTime(clock.now());
    const approved = { type: "Approved", status: "True", reason: "ClusterUser", message: "", lastUpdateTime: now };
    await send(rest, "PUT", `${path}/approval`, { ...asked, status: { conditions: [approved] } });
    let certificate = "";
    const sleep = (milliseconds: number) => pause(timers, milliseconds, signal);
    const signed = await poll(
      async () => {
        signal?.throwIfAborted();
        certificate = certificateOf(await send(rest, "GET", path), user);
        return certificate !== "";
      },
      { interval: INTERVAL_MS, timeout, sleep },
    );
    if (!signed) {
      throw new Error(
        `no certificate for ${user} after ${timeout / 1000} seconds: nothing in the cluster signs for ${SIGNER}`,
      );
    }
    return { certificate, key: privateKey.export({ type: "sec1", format: "pem" }).toString() };
  } finally {
    await send(rest, "DELETE", path).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

async function send(rest: RestClient, method: string, path: string, body?: KubeObject): Promise<KubeObject> {
  const encoded = body && new TextEncoder().encode(JSON.stringify(body));
  return (await rest.request({ method, path, ...(encoded && { body: encoded }) })).json();
}

/** PEM of what was signed; "" while nothing is. */
function certificateOf(request: KubeObject, user: string): string {
  const status = object(request["status"]);
  for (const { type, message } of objects(status["conditions"])) {
    if (type === "Denied" || type === "Failed") {
      throw new Error(
        `the request for a certificate of ${user} was ${type === "Denied" ? "denied" : "not signed"}: ${text(message)}`,
      );
    }
  }
  return Buffer.from(text(status["certificate"]), "base64").toString("utf8");
}
