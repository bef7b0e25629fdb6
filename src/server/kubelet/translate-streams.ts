import { errorMessage } from "../../base/text/error-message.js";
import { runSession, spdySession } from "../../client/streaming/remote-session.js";
import type { RemoteCommandStreams } from "../../client/streaming/remote-command.js";
import { refusedUpgrade } from "../../client/streaming/upgrade-failure.js";
import { goNetworkReason } from "../../client/transport/go-network-error.js";
import { internalError, isStatusError } from "../../machinery/errors/status-error.js";
import type { ByteStream, MultiplexedConnection } from "../../machinery/wire/streams/byte-stream.js";
import { ChannelConnection } from "../../machinery/wire/streams/channel-connection.js";
import {
  CHANNEL,
  CHANNEL_PROTOCOLS,
  type ExitStatus,
  exitStatus,
  isRemoteCommandExit,
  SPDY_PROTOCOLS,
  V5,
} from "../../machinery/wire/streams/remote-command.js";
import { spdyConnection } from "../../machinery/wire/spdy/spdy-connection.js";
import type { ApiRequest } from "../request/api-request.js";
import { acceptWebSocket, askUpgrade } from "./upgraded-connections.js";
import { spdyHeaders } from "./forwarded-headers.js";
import type { ProxyTarget } from "./proxy-target.js";

const PING_PERIOD = 5000;
/** An answer that is an error is read so far and no further. */
const LONGEST_ERROR = 50_000;

/**
 * A remote command over a WebSocket whose streams the client can close, which kubelets do not speak: they get it over SPDY. Once the
 * handshake is answered, the error channel carries what fails. Source: kube-apiserver's StreamTranslatorHandler.
 */
export async function translateStreams(request: ApiRequest, target: ProxyTarget, wanted: WantedStreams): Promise<void> {
  const [protocol] = CHANNEL_PROTOCOLS;
  if (protocol?.name !== V5) throw new Error("the first protocol is not the newest");
  const webSocket = acceptWebSocket(request, V5);
  const readable = [...(wanted.stdin ? [CHANNEL.stdin] : []), CHANNEL.resize];
  const client = new ChannelConnection(webSocket, { protocol, readable, role: "server" });
  const errors = client.channel(CHANNEL.error);
  request.exchange.signal.addEventListener("abort", () => webSocket.destroy(), { once: true });
  try {
    // A message without data says that the connection stands.
    const first = wanted.stdout ? CHANNEL.stdout : wanted.stderr ? CHANNEL.stderr : CHANNEL.error;
    await client.channel(first).write(new Uint8Array());
    const status = await run(request, target, wanted, client);
    await errors.write(Buffer.from(JSON.stringify(status)));
  } catch {
    // The client is gone.
  }
  await client.close();
}

/** The streams that a client asks for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Runs the command at the kubelet; what the error channel says of its end. */
async function run(
  request: ApiRequest,
  target: ProxyTarget,
  { stdin, stdout, stderr, tty }: WantedStreams,
  client: ChannelConnection,
): Promise<ExitStatus> {
  const writer = (channel: number) => (chunk: Uint8Array) => client.channel(channel).write(chunk);
  const streams: RemoteCommandStreams = {
    stdin: stdin ? client.channel(CHANNEL.stdin) : undefined,
    stdout: stdout ? writer(CHANNEL.stdout) : undefined,
    stderr: stderr ? writer(CHANNEL.stderr) : undefined,
    tty,
  };
  try {
    const { kubelet, protocol } = await open(request, target);
    void client.closed.then(() => kubelet.close());
    const opened = { connection: kubelet, protocol, reasonOf: (fault: Error) => goNetworkReason(fault) };
    const session = await spdySession(opened, streams);
    if (session.resize !== undefined) void copy(client.channel(CHANNEL.resize), session.resize);
    await runSession(session, streams);
    return exitStatus(0);
  } catch (error) {
    if (isRemoteCommandExit(error)) return exitStatus(error.code);
    if (isStatusError(error)) return error.status;
    return internalError(errorMessage(error)).status;
  }
}

async function open(
  { exchange }: ApiRequest,
  target: ProxyTarget,
): Promise<{ readonly kubelet: MultiplexedConnection; readonly protocol: string }> {
  const answer = await askUpgrade(target, {
    method: "POST",
    headers: { ...spdyHeaders(exchange, SPDY_PROTOCOLS), "content-length": "0" },
    signal: exchange.signal,
  });
  if ("refusal" in answer) throw await refused(answer.refusal);
  const { "x-stream-protocol-version": protocol = "" } = answer.headers;
  return {
    kubelet: spdyConnection(answer.socket, { role: "client", pingPeriod: PING_PERIOD }),
    protocol: [protocol].flat()[0] ?? "",
  };
}

/** The kubelet's reason, in the words of every client that is refused an upgrade. */
async function refused(answer: AsyncIterable<Uint8Array>): Promise<Error> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LONGEST_ERROR) break;
  }
  return refusedUpgrade({ body: Buffer.concat(chunks).subarray(0, LONGEST_ERROR) });
}

async function copy(from: ByteStream, to: ByteStream): Promise<void> {
  try {
    for await (const chunk of from) await to.write(chunk);
  } catch {
    // The size of a terminal that is gone is of no use.
  }
}
