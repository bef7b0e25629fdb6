import { SPDY_PROTOCOLS, type TerminalSize, V5 } from "../../machinery/wire/streams/remote-command.js";
import type { RestClient } from "../rest/rest-client.js";
import { openWebSocket } from "./open-web-socket.js";
import { type RemoteSession, runSession, spdySession, webSocketSession } from "./remote-session.js";
import { UpgradeFailure } from "./upgrade-failure.js";

export interface RemoteCommandRequest {
  /**
   * Absolute, with the query: /api/v1/namespaces/default/pods/web/exec?command=ls&container=c&stdout=true. The server's own path
   * comes before it.
   */
  readonly path: string;
  /** Of the upgrade to SPDY; a WebSocket always begins with GET. */
  readonly method: "GET" | "POST";
}

export interface RemoteCommandStreams {
  /** What the remote program reads. Its end closes the program's stdin. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Awaited: a slow writer holds back the remote program. */
  readonly stdout?: ((chunk: Uint8Array) => Promise<void>) | undefined;
  /** Not used with a terminal, where stdout has both. */
  readonly stderr?: ((chunk: Uint8Array) => Promise<void>) | undefined;
  readonly tty: boolean;
  /** The sizes of the terminal, the first at once. Sent with a terminal only. */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
}

export interface RemoteCommandOptions {
  readonly signal?: AbortSignal | undefined;
  /** Tries a WebSocket first, and SPDY where the server or a proxy refuses it. False: SPDY alone. */
  readonly webSockets: boolean;
}

/** Pings of client-go, and how long an answer may take: twelve pings and a second. */
const HEARTBEAT = { period: 5000, deadline: 61_000 };

/**
 * Runs a command in a container, or attaches to a running one, until it ends and its output has been written. Rejects with a
 * RemoteCommandExitError when the program exits with another code than 0, with the reason of `signal`, with what a writer of the
 * output throws, and with client-go's errors otherwise. It stops reading `stdin` when the command ends.
 */
export async function runRemoteCommand(
  rest: RestClient,
  request: RemoteCommandRequest,
  streams: RemoteCommandStreams,
  { signal, webSockets }: RemoteCommandOptions,
): Promise<void> {
  try {
    const session = await openSession(rest, request, streams, { signal, webSockets });
    await runSession(session, streams);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

async function openSession(
  rest: RestClient,
  { path, method }: RemoteCommandRequest,
  streams: RemoteCommandStreams,
  { signal, webSockets }: RemoteCommandOptions,
): Promise<RemoteSession> {
  if (webSockets) {
    try {
      return webSocketSession(await openWebSocket(rest, { path, subprotocol: V5, heartbeat: HEARTBEAT, signal }));
    } catch (error) {
      if (!(error instanceof UpgradeFailure)) throw error;
    }
  }
  // A server of today needs none of it.
  const { openSpdy } = await import("./open-spdy.js");
  const opened = await openSpdy(rest, { method, path, protocols: SPDY_PROTOCOLS, signal });
  const { connection, protocol } = opened;
  if (protocol === "" || SPDY_PROTOCOLS.includes(protocol)) return spdySession(opened, streams);
  void connection.close();
  const offered = SPDY_PROTOCOLS.map((one) => `"${one}"`).join(", ");
  throw new Error(`unable to negotiate protocol: client supports ${offered}, server returned "${protocol}"`);
}
