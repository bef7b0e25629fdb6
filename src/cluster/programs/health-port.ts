import { resolve } from "node:path";
import { errnoText, errorCode } from "../../base/files/path-error.js";
import type { Clock } from "../../base/time/clock.js";
import type { ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { type HealthCheck, healthAnswer } from "../../server/endpoints/non-resource/health.js";
import { type Listener, listen } from "../../server/generic/secure-listener.js";
import { readTlsProtocol } from "../../server/generic/transport/tls-protocol.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import { writeMetrics } from "../../server/metrics/respond-metrics.js";
import type { Handler } from "../../server/request/api-request.js";
import type { Exchange } from "../../server/request/exchange.js";
import { servingFiles } from "../apiserver/api-server-files.js";
import { authority } from "../open-socket.js";
import type { TlsOptions } from "../options/tls-options.js";
import { issueCertificate, type KeyPair } from "../../machinery/crypto/issue-certificate.js";
import { openServingCertificates, type ServingCertificates } from "../reload/serving-certificates.js";
import { openPortAccess } from "./port-access.js";
import type { ProgramMetrics } from "./program-metrics.js";
import { processRandom, processTimers } from "./surroundings.js";

export interface HealthPortOptions {
  /** The name of the program, and of its certificate's files in --cert-dir. */
  readonly program: string;
  /** The checks of a request for /healthz and /livez. */
  readonly checks: () => readonly HealthCheck[];
  /** Those of /readyz beside them. */
  readonly readiness: () => readonly HealthCheck[];
  /** Those of /metrics and /metrics/slis. */
  readonly metrics: ProgramMetrics;
}

/** An open port for health checks; with --secure-port=0 there is no port. */
export interface HealthPort {
  close(): Promise<void>;
}

const DAY = 86_400_000;

/**
 * Opens the HTTPS port of a program, which serves /healthz, /livez, /readyz and /metrics to those whom the API server of --authorization-kubeconfig lets
 * in, and the paths of --authorization-always-allow-paths to everybody. Rejects in the words of Kubernetes' programs where the port or its certificate cannot be used.
 */
export async function openHealthPort(
  options: HealthPortOptions,
  flags: Flags,
  context: Pick<ComponentContext, "clock" | "cwd" | "env" | "log" | "signal">,
): Promise<HealthPort> {
  const { clock, cwd, log } = context;
  const port = flags.number("secure-port");
  if (port === 0) return { close: async () => {} };
  if (port < 0 || port > 65_535) {
    throw new Error(`--secure-port ${port} must be between 0 and 65535, inclusive. 0 for turning off secure port`);
  }
  const host = flags.string("bind-address");
  const report = (error: unknown): void => log.error("server/serving.go:404", "Unhandled Error", error);
  const own = selfSigned(host, clock);
  const tls = await tlsOf(options.program, flags, { clock, cwd, own, report });
  const stopping = new AbortController();
  const streams = flags.number("http2-max-streams-per-connection");
  const access = await openPortAccess(flags, context);
  const handle = access.guard(answererOf(options));
  const open = (): Promise<Listener> =>
    listen({
      host,
      port,
      tls: { ...tls.pairs(own), protocol: tls.protocol, ...access.authorities },
      clock,
      handle,
      stopping: stopping.signal,
      http2: !flags.bool("disable-http2-serving") && (streams > 0 ? { streams } : {}),
    });
  const listener = await opened(host, port, open).catch(async (error: unknown) => {
    await access.close();
    throw error;
  });
  await access.start(() => listener.trust(access.authorities));
  tls.watch(
    () => own,
    (pairs) => listener.show(pairs),
  );
  log.info("server/secure_serving.go:211", `Serving securely on ${authority(host, listener.port)}`);
  return {
    async close() {
      stopping.abort();
      tls.close();
      await listener.close();
      await access.close();
    },
  };
}

async function opened(host: string, port: number, open: () => Promise<Listener>): Promise<Listener> {
  try {
    return await open();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    const where = authority(host, port);
    const reason = `listen tcp ${where}: bind: ${errnoText(error)}`;
    throw new Error(`failed to create listener: failed to listen on ${where}: ${reason}`, { cause: error });
  }
}

interface TlsParts extends Pick<ComponentContext, "clock" | "cwd"> {
  readonly own: KeyPair;
  readonly report: (error: unknown) => void;
}

async function tlsOf(program: string, flags: Flags, { clock, cwd, report }: TlsParts): Promise<ServingCertificates> {
  const file = (name: string): string => (flags.string(name) === "" ? "" : resolve(cwd, flags.string(name)));
  const files = { certFile: file("tls-cert-file"), keyFile: file("tls-private-key-file"), certDir: file("cert-dir") };
  const given = files.certFile !== "" || files.keyFile !== "" || files.certDir !== "";
  const host = flags.string("bind-address");
  const { minVersion, cipherSuites } = readTlsProtocol(
    flags.string("tls-min-version"),
    flags.strings("tls-cipher-suites"),
  );
  const options: TlsOptions = {
    ...(given && {
      certificate: await servingFiles({ ...files, pairName: program, host }, clock, processRandom, report),
    }),
    ...(minVersion && { minVersion }),
    ...(cipherSuites && { cipherSuites }),
  };
  return openServingCertificates(options, { clock, timers: processTimers, report });
}

/** The certificate of a port without files, which nobody trusts but who asks for no proof. */
function selfSigned(host: string, clock: Clock): KeyPair {
  const now = clock.now();
  return issueCertificate({
    commonName: "localhost",
    notBefore: now - DAY,
    notAfter: now + 365 * DAY,
    serial: processRandom.bytes(16),
    usage: "server",
    names: [...new Set([host, "127.0.0.1", "localhost"])],
  });
}

/** Answers requests of callers who may have what they ask for. */
function answererOf({ checks, readiness, metrics }: HealthPortOptions): Handler {
  return async ({ exchange }) => {
    const { method, path, query } = exchange;
    if (method !== "GET" && method !== "HEAD") return respond(exchange, 405, "Method Not Allowed\n");
    if (path === "/metrics") return respondWith(exchange, metrics.table);
    if (path === "/metrics/slis") return respondWith(exchange, metrics.slis);
    const { healthCheck } = metrics;
    const answer =
      healthAnswer("/healthz", path, checks, healthCheck) ??
      healthAnswer("/livez", path, checks, healthCheck) ??
      healthAnswer("/readyz", path, () => [...checks(), ...readiness()], healthCheck);
    if (answer === undefined) return respond(exchange, 404, "404 page not found\n");
    const { status, text } = await answer(query);
    await respond(exchange, status, text);
  };
}

async function respondWith(exchange: Exchange, table: MetricTable): Promise<void> {
  const { contentType, body } = await writeMetrics(table, exchange.headers["accept"]);
  await respond(exchange, 200, body, contentType);
}

async function respond(
  exchange: Exchange,
  status: number,
  text: string | Uint8Array,
  type = "text/plain; charset=utf-8",
): Promise<void> {
  const body = typeof text === "string" ? Buffer.from(text) : text;
  const writer = exchange.respond(status, {
    "cache-control": "no-cache, private",
    "content-type": type,
    "content-length": String(body.length),
    "x-content-type-options": "nosniff",
  });
  await writer.end(exchange.method === "HEAD" ? undefined : body);
}
