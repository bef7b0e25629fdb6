import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import { configFromFile } from "../../../../src/client/config/load-config.js";
import { ReviewClient, type ReviewClientOptions } from "../../../../src/server/authz/webhook/review-client.js";
import { webhookMode, type WebhookModeOptions } from "../../../../src/server/authz/webhook/webhook-mode.js";
import { issueCertificate, issuerOf } from "../../../../src/machinery/crypto/issue-certificate.js";
import { certificates } from "../../../helpers/webhook-server.js";

/** What the webhook was sent. */
export interface Reviewed {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly apiVersion: string; readonly spec: Record<string, unknown> };
  /** The common name of the client's certificate; "" without one. */
  readonly certificate: string;
}

/** What it answers: an object as JSON, a code, a text; or it resets the connection, ends it, or keeps silent. */
export type Answered = object | { readonly code: number; readonly body?: string } | string;

/** An authorization webhook on the loopback address. */
export class ReviewWebhook implements AsyncDisposable {
  readonly reviews: Reviewed[] = [];
  /** Answers the next calls; the last one answers all that follow. */
  answers: Answered[] = [allowed()];
  readonly folder = mkdtempSync(join(tmpdir(), "authz-webhook-"));
  readonly #server: Server;
  #kubeconfigs = 0;
  readonly #pki = certificates(["127.0.0.1"]);

  private constructor() {
    const { authority, leaf } = this.#pki;
    const options = { key: leaf.key, cert: leaf.certificate, ca: authority.certificate, requestCert: true };
    this.#server = createServer({ ...options, rejectUnauthorized: false }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { url: path = "", method = "", headers } = request;
        const certificate = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? "";
        this.reviews.push({
          path,
          method,
          headers,
          body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as Reviewed["body"],
          certificate: String(certificate),
        });
        const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
        if (answer === "reset") request.socket.resetAndDestroy();
        else if (answer === "end") request.socket.destroy();
        else if (answer === "silence") return;
        else if (typeof answer === "string") response.end(answer);
        else if (answer !== undefined && "code" in answer) {
          const { code, body = "" } = answer as { readonly code: number; readonly body?: string };
          response.writeHead(code, { "content-type": "text/plain", location: "https://127.0.0.1:1/" }).end(body);
        } else response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      });
    });
  }

  static async start(): Promise<ReviewWebhook> {
    const webhook = new ReviewWebhook();
    await new Promise<void>((resolve) => webhook.#server.listen(0, "127.0.0.1", resolve));
    return webhook;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A kubeconfig of the webhook, in a file; the user's entry is as given. */
  kubeconfig(user: object = {}, server = `${this.url}/authorize`): string {
    const file = join(this.folder, `kubeconfig-${this.#kubeconfigs++}.yaml`);
    const ca = Buffer.from(this.#pki.authority.certificate).toString("base64");
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "authz", cluster: { server, "certificate-authority-data": ca } }],
      users: [{ name: "apiserver", user }],
      contexts: [{ name: "webhook", context: { cluster: "authz", user: "apiserver" } }],
      "current-context": "webhook",
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  /** The user's entry for a client certificate that the webhook's authority signed. */
  clientCertificate(commonName: string): object {
    const { certificate, key } = issueCertificate(
      {
        commonName,
        notBefore: Date.now() - 60_000,
        notAfter: Date.now() + 3_600_000,
        serial: Uint8Array.of(9),
        usage: "client",
      },
      issuerOf(this.#pki.authority, "webhook-ca"),
    );
    return {
      "client-certificate-data": Buffer.from(certificate).toString("base64"),
      "client-key-data": Buffer.from(key).toString("base64"),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    rmSync(this.folder, { recursive: true });
  }
}

export const FAST = { steps: 5, duration: 1, factor: 1, jitter: 0 };

/** A client of the webhook in a kubeconfig. */
export async function clientOf(file: string, more: Partial<ReviewClientOptions> = {}): Promise<ReviewClient> {
  return new ReviewClient({
    config: await configFromFile(file, { env: {} }),
    version: "v1",
    timeout: 5000,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    env: {},
    backoff: FAST,
    ...more,
  });
}

/** The mode with kube-apiserver's times, and the failures that it reported. */
export function modeOf(client: WebhookModeOptions["client"], more: Partial<WebhookModeOptions> = {}) {
  const faults: string[] = [];
  const mode = webhookMode({
    name: "hook",
    client,
    authorizedTtl: 300_000,
    unauthorizedTtl: 30_000,
    onFailure: "no-opinion",
    conditions: [],
    clock: systemClock,
    reportError: (error) => faults.push(error instanceof Error ? error.message : String(error)),
    ...more,
  });
  return { mode, faults };
}

export const review = (status: object, version = "v1"): object => ({
  apiVersion: `authorization.k8s.io/${version}`,
  kind: "SubjectAccessReview",
  status,
});

export const allowed = (): object => review({ allowed: true });
