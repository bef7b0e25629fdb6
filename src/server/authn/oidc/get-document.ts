import type { Clock } from "../../../base/time/clock.js";
import { outside } from "../../../base/async/turns.js";
import type { Environment } from "../../../client/surroundings.js";
import { createTransport } from "../../../client/transport/create-transport.js";
import type { Dialer } from "../../../client/transport/dial.js";
import type { TransportResponse } from "../../../client/transport/transport.js";
import { CallDeadline } from "../../webhook/call-deadline.js";

/** The parts of the process that requests to issuers use. */
export interface IssuerSurroundings {
  /** The certificates of issuers are checked at its time. */
  readonly clock: Clock;
  /** Proxies, and the files of the system's authorities. */
  readonly env: Environment;
  /** The authorities of the issuers' certificates, PEM; "" for the system's. */
  readonly certificateAuthority: string;
  /** Connects to the issuers. Left out: the machine's network does. */
  readonly dialer?: Dialer | undefined;
}

export interface IssuerDocument {
  readonly status: number;
  readonly headers: TransportResponse["headers"];
  readonly text: string;
}

const TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 10;
/** An issuer's documents are a few kilobytes. */
const LONGEST = 4 * 1024 * 1024;

/** Gets a document of an issuer by https, and follows redirects. Rejects with an Error in Go's words. */
export async function getDocument(
  url: string,
  surroundings: IssuerSurroundings,
  headers: Readonly<Record<string, string>> = {},
): Promise<IssuerDocument> {
  const deadline = new CallDeadline(TIMEOUT_MS, undefined);
  try {
    return await outside(follow(url, surroundings, headers, deadline.signal));
  } catch (error) {
    throw deadline.explained(error);
  } finally {
    deadline.clear();
  }
}

async function follow(
  first: string,
  surroundings: IssuerSurroundings,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IssuerDocument> {
  let url = new URL(first);
  for (let hops = 0; ; hops++) {
    // A redirect to another host gets no credentials.
    const sent = url.origin === new URL(first).origin ? headers : {};
    const answer = await requestOnce(url, surroundings, sent, signal);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || typeof location !== "string") return answer;
    if (hops + 1 === MOST_REDIRECTS) throw new Error(`Get "${first}": stopped after 10 redirects`);
    url = new URL(location, url);
    if (url.protocol !== "https:") throw new Error(`Get "${first}": a redirect leads to what is no https URL`);
  }
}

async function requestOnce(
  { origin, pathname, search }: URL,
  { clock, env, certificateAuthority, dialer }: IssuerSurroundings,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IssuerDocument> {
  const caData = certificateAuthority === "" ? {} : { caData: Buffer.from(certificateAuthority) };
  const hosts = dialer && { dial: () => undefined, egress: dialer };
  const config = { server: origin, tls: { insecureSkipVerify: false, ...caData } };
  const transport = createTransport(config, { clock, env, hosts });
  try {
    const {
      status,
      headers: received,
      body,
    } = await transport.send({
      method: "GET",
      path: pathname + search,
      headers: { accept: "*/*", "user-agent": "kube-apiserver", ...headers },
      signal,
    });
    return { status, headers: received, text: await textOf(body) };
  } finally {
    await transport.close();
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of body) {
    read += chunk.byteLength;
    if (read > LONGEST) throw new Error(`the answer is longer than ${LONGEST} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
