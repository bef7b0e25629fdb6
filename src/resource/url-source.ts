import { goQuote } from "../base/text/go-quote.js";
import { hostFault } from "../client/config/server-url.js";
import { goNetworkReason } from "../client/transport/go-network-error.js";
import { type ValidateDocument, documents } from "./document-source.js";
import type { InfoMaker } from "./info-maker.js";
import type { Visitor } from "./visitor.js";

/** Sends one GET to a URL outside the cluster. Rejects in Go's words when there is no answer. */
export type FetchUrl = (url: string) => Promise<{
  readonly status: number;
  readonly statusText: string;
  bytes(): Promise<Uint8Array>;
}>;

const ATTEMPTS = 3;

/** Throws in Go's words for a host that Go's parser rejects. Other invalid hosts fail later, when the request is sent. */
export function requireUrl(url: string): void {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  const fault = hostFault(authority);
  if (fault === undefined) return;
  throw new Error(`the URL passed to filename ${goQuote(url)} is not valid: parse ${goQuote(url)}: ${fault}`);
}

/** The source for a manifest on a web server. It sends up to three requests, a second apart, while there is no answer or a 5xx. */
export function urlSource(
  url: string,
  fetchUrl: FetchUrl,
  wait: (milliseconds: number) => Promise<void>,
  maker: InfoMaker,
  validate?: ValidateDocument,
): Visitor {
  return documents(url, () => download(url, fetchUrl, wait), maker, validate);
}

async function download(url: string, fetchUrl: FetchUrl, wait: (ms: number) => Promise<void>): Promise<Uint8Array> {
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await wait(1000);
    try {
      const answer = await fetchUrl(url);
      if (answer.status === 200) return await answer.bytes();
      const { status, statusText } = answer;
      failure = new Error(
        `unable to read URL ${goQuote(url)}, server reported ${status} ${statusText}, status code=${status}`,
      );
      if (status < 500 || status > 599) break;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** {@link FetchUrl} with the runtime's fetch. */
export const fetchManifest: FetchUrl = async (url) => {
  const answer = await fetch(url).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new Error(`Get ${goQuote(url)}: ${goNetworkReason(cause)}`, { cause: error });
  });
  const { status, statusText } = answer;
  return { status, statusText, bytes: async () => new Uint8Array(await answer.arrayBuffer()) };
};

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
