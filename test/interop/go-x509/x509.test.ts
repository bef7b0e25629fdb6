import { execFileSync } from "node:child_process";
import { Agent, createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { isTransportError } from "../../../src/client/transport/transport-error.js";
import { createClusterPki } from "../../../src/cluster/pki/cluster-pki.js";
import { clientCertificate } from "../../../src/server/authn/client-certificate.js";
import { requestHeader, STANDARD_HEADERS } from "../../../src/server/authn/request-header.js";
import { type Listener, listen } from "../../../src/server/generic/secure-listener.js";
import { WebhookClients } from "../../../src/server/webhook/webhook-clients.js";
import { webhookTarget } from "../../../src/server/webhook/webhook-target.js";
import {
  type CertificateChain,
  certificateChains,
  chainsText,
  JUDGED_AT,
  keyOf,
  pemOf,
} from "../../helpers/certificate-chains.js";

const { foreignClient } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: "go-x509") => { readonly command?: readonly string[]; readonly missing?: string };
};
const { command, missing } = foreignClient("go-x509");
if (missing !== undefined) process.stdout.write(`Go's verdicts on certificates are not asked for again: ${missing}\n`);

const rowsOf = (wanted: (chain: CertificateChain) => boolean) =>
  certificateChains
    .filter(wanted)
    .map((chain) => [chain.name, chain.verdict === "" ? "taken" : chain.verdict, chain] as const);

const clock = { now: () => JUDGED_AT };
/** Errors show the time in the zone of the process. */
const withoutZone = (text: string): string =>
  text.replace(/current time \S+ is/, "current time 2026-06-01T12:00:00Z is");

/** OpenSSL shows small keys and old signatures to nobody unless it is asked to. */
const shown = (chain: CertificateChain) => ({
  cert: pemOf(chain.chain),
  key: keyOf(chain),
  ciphers: "DEFAULT@SECLEVEL=0",
});

test("the stored verdicts on certificates are those of the installed Go", { skip: command === undefined }, () => {
  const answers = execFileSync(command?.[0] ?? "", [], { input: chainsText, encoding: "utf8" })
    .trimEnd()
    .split("\n");
  const differing = certificateChains
    .map(({ name, usage, verdict }, index) => ({
      name,
      usage,
      verdict,
      go: JSON.parse(answers[index] ?? "") as string,
    }))
    .filter(({ verdict, go }) => verdict !== go);
  expect(differing).toEqual([]);
});

test("the stored table has at least 40 certificate chains of each kind", () => {
  const names = (usage: CertificateChain["usage"]) =>
    new Set(certificateChains.filter((each) => each.usage === usage).map(({ name }) => name));
  expect(names("server").size).toBeGreaterThan(100);
  expect(names("client").size).toBeGreaterThan(40);
});

describe("kubets accepts or refuses a server's certificate as Go does", () => {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((_, response) => response.end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  test.each(rowsOf(({ usage }) => usage === "server"))("as a client: %s: %s", async (_, verdict, chain) => {
    server.setSecureContext(shown(chain));
    const tls = { caData: Buffer.from(pemOf(chain.roots)), serverName: chain.host ?? "", insecureSkipVerify: false };
    const client = createTransport({ server: `https://127.0.0.1:${port}`, tls }, { clock, env: {} });
    try {
      const answer = await client.send({ method: "GET", path: "/", headers: {} });
      for await (const _chunk of answer.body);
      expect("taken").toBe(verdict);
    } catch (error) {
      if (!isTransportError(error)) throw error;
      expect(withoutZone(error.reason)).toBe(verdict);
    } finally {
      await client.close();
    }
  });

  const HOOK = "hook.shop.svc";
  test.each(rowsOf(({ host }) => host === HOOK))(
    "as a server that calls a webhook: %s: %s",
    async (_, verdict, chain) => {
      server.setSecureContext(shown(chain));
      const locate = () => Promise.resolve({ host: "127.0.0.1", port });
      const webhooks = new WebhookClients({ clock, timers: systemTimers, env: {}, locate }, systemRandom);
      const caBundle = Buffer.from(pemOf(chain.roots)).toString("base64");
      const service = { namespace: "shop", name: "hook", path: "/hook" };
      // A webhook without authorities has those of the system.
      if (chain.roots.length === 0) return;
      try {
        const { status } = await webhooks.of(webhookTarget({ service, caBundle })).post(Buffer.from("{}"));
        expect({ status, verdict: "taken" }).toEqual({ status: 200, verdict });
      } catch (error) {
        if (!isTransportError(error)) throw error;
        expect(withoutZone(error.reason)).toBe(verdict);
      } finally {
        await webhooks.close();
      }
    },
  );
});

describe("kubets accepts or refuses a client's certificate as Go does", () => {
  let listener: Listener;
  const own = createClusterPki(clock, systemRandom, clock);
  const proxy = { ...STANDARD_HEADERS, allowedNames: [] };
  const proxied = requestHeader(() => proxy);

  beforeAll(async () => {
    listener = await listen({
      host: "127.0.0.1",
      port: 0,
      tls: { ...own.server, clientCa: own.ca.certificate },
      clock,
      stopping: new AbortController().signal,
      async handle(exchange) {
        let user = "401";
        try {
          user = (await clientCertificate(exchange))?.name ?? "anonymous";
        } catch {
          // The certificate is wrong.
        }
        const { certificateFault: fault } = exchange;
        const byProxy = await proxied(exchange);
        const body = Buffer.from(JSON.stringify({ user, fault, proxied: byProxy?.name }));
        await exchange.respond(200, { "content-length": String(body.length) }).end(body);
      },
    });
  });
  afterAll(() => listener.close());

  /** Whom a server with these authorities of clients and front proxies takes the client for. */
  function seen(chain: CertificateChain, authorities: { readonly clientCa: string; readonly frontProxyCa?: string }) {
    listener.trust(authorities);
    const agent = new Agent({ ...shown(chain), rejectUnauthorized: false });
    return new Promise<{ readonly user: string; readonly fault?: string; readonly proxied?: string }>(
      (resolve, reject) => {
        const options = { port: listener.port, agent, headers: { "x-remote-user": "jane" } };
        const sent = request(options, (answer) => {
          let text = "";
          answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
          answer.on("end", () => resolve(JSON.parse(text)));
        });
        sent.on("error", reject).end();
      },
    ).finally(() => agent.destroy());
  }

  const clients = rowsOf(({ usage, roots }) => usage === "client" && roots.length > 0);
  const holderOf = ({ name }: CertificateChain): string => (name.startsWith("self-signed") ? "self" : "holder");

  test.each(clients)("for a user and for a front proxy: %s: %s", async (_, verdict, chain) => {
    const isTaken = verdict === "taken";
    const authorities = pemOf(chain.roots);
    const both = await seen(chain, { clientCa: authorities, frontProxyCa: authorities });
    expect({ ...both, fault: withoutZone(both.fault ?? "taken") }).toEqual({
      user: isTaken ? holderOf(chain) : "401",
      fault: verdict.replace("tls: failed to parse client certificate: ", ""),
      ...(isTaken && { proxied: "jane" }),
    });
  });

  test("and an authority of front proxies makes no users, nor the reverse", async () => {
    const [, , chain] = clients[0] ?? [];
    if (chain === undefined) throw new Error("the table has no clients");
    const [ofChain, others] = [pemOf(chain.roots), own.ca.certificate];
    const unknown = { user: "401", fault: "x509: certificate signed by unknown authority" };
    expect(await seen(chain, { clientCa: others, frontProxyCa: ofChain })).toEqual({ ...unknown, proxied: "jane" });
    expect(await seen(chain, { clientCa: ofChain, frontProxyCa: others })).toEqual({ user: "holder" });
  });
});
