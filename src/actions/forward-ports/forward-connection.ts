import type { Socket } from "node:net";
import { errorMessage } from "../../base/text/error-message.js";
import { errnoText, errorCode } from "../../base/files/path-error.js";
import type { ByteStream, MultiplexedConnection } from "../../machinery/wire/streams/byte-stream.js";
import { portForwardHeaders } from "../../machinery/wire/streams/port-forward.js";
import { type ForwardedPort, hostPort, type ListenAddress } from "./port-spec.js";

/** An error of one forwarded connection, with client-go's message. */
export interface ConnectionFault {
  readonly step: "error stream" | "data stream" | "to local" | "from local" | "remote read" | "remote";
  /** "Error creating error stream". */
  readonly message: string;
  readonly error: string;
  readonly port: ForwardedPort;
}

export interface ForwardedConnection {
  readonly socket: Socket;
  readonly network: ListenAddress["network"];
  readonly port: ForwardedPort;
  /** Differs between the connections over one {@link MultiplexedConnection}. */
  readonly requestId: number;
  readonly onFault: (fault: ConnectionFault) => void;
}

/** The pod's side has at most so many bytes for what it says of a fault. */
const LONGEST_MESSAGE = 64 * 1024;

/**
 * Joins a local connection to a port of the pod, until the pod's side has ended or one side is gone. After the end of the local
 * side, the pod's remaining output is still delivered. Never rejects; the socket is closed afterwards.
 */
export async function forwardConnection(
  connection: MultiplexedConnection,
  forwarded: ForwardedConnection,
): Promise<void> {
  const { socket, onFault } = forwarded;
  try {
    await join(connection, forwarded);
  } catch (error) {
    const { step, summary } = error instanceof StepError ? error : AS_A_WHOLE;
    onFault({ step, message: summary, error: errorMessage(error), port: forwarded.port });
  } finally {
    socket.destroySoon();
  }
}

class StepError extends Error {
  override readonly name = "StepError";
  constructor(
    readonly step: ConnectionFault["step"],
    readonly summary: string,
    reason: string,
  ) {
    super(reason);
  }
}

const AS_A_WHOLE = { step: "remote", summary: "An error occurred forwarding" } as const;

async function join(connection: MultiplexedConnection, forwarded: ForwardedConnection): Promise<void> {
  const { socket, port, requestId, onFault } = forwarded;
  const open = async (type: "error" | "data", step: ConnectionFault["step"], name: string): Promise<ByteStream> => {
    try {
      return await connection.open(portForwardHeaders(type, port.remote, requestId));
    } catch (error) {
      throw new StepError(step, `Error creating ${name} stream`, errorMessage(error));
    }
  };
  // The socket may break before anything is read from it.
  const broken = brokenBy(socket);
  const errors = await open("error", "error stream", "error");
  void errors.end();
  const message = readMessage(errors);
  let data: ByteStream;
  try {
    data = await open("data", "data stream", "forwarding");
  } catch (error) {
    errors.destroy();
    throw error;
  }
  const fromRemote = copyToSocket(data, socket);
  const fromLocal = copyFromSocket(socket, data);
  let joined = true;
  const localBroke = broken.then((error) => {
    if (joined) onFault(socketFault(error, forwarded));
  });
  await Promise.race([fromRemote, localBroke]);
  joined = false;
  // What was not sent yet is of no use to the other end, and would hold back the error stream.
  data.destroy();
  void fromLocal;
  const { text, fault } = await message;
  if (fault !== undefined) {
    throw new StepError("remote read", "Error reading from error stream", errorMessage(fault));
  }
  if (text !== "") throw new StepError("remote", AS_A_WHOLE.summary, text);
}

/** Resolves with the error that breaks the socket; never, where none does. */
const brokenBy = (socket: Socket): Promise<Error> => new Promise((resolve) => socket.once("error", resolve));

/** Resolves once the pod has ended, or the stream or the socket is gone. */
async function copyToSocket(data: ByteStream, socket: Socket): Promise<void> {
  try {
    for await (const chunk of data) {
      if (socket.destroyed) return;
      if (!socket.write(chunk)) await drained(socket);
    }
  } catch {
    // A stream that was reset has ended.
  }
  socket.end();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      socket.off("drain", settle).off("close", settle);
      resolve();
    };
    socket.on("drain", settle).on("close", settle);
    if (socket.destroyed) settle();
  });
}

/** Resolves once all that the local side sends is written, and its end. */
async function copyFromSocket(socket: Socket, data: ByteStream): Promise<void> {
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      await data.write(chunk);
    }
  } catch {
    // The socket's fault is reported where it breaks; a stream that is gone has ended in the other direction, too.
  }
  await data.end();
}

async function readMessage(stream: ByteStream): Promise<{ readonly text: string; readonly fault?: unknown }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > LONGEST_MESSAGE) break;
      chunks.push(chunk);
    }
  } catch (fault) {
    return { text: "", fault };
  }
  return { text: Buffer.concat(chunks).toString() };
}

/** In Go's words for a copy between connections. */
function socketFault(error: Error, { socket, network, port }: ForwardedConnection): ConnectionFault {
  const ends = `${network} ${endOf(socket, "local")}->${endOf(socket, "remote")}`;
  const writing = errorCode(error) === "EPIPE" || ("syscall" in error && error.syscall === "write");
  const call = writing ? "write" : "read";
  const reason = `${writing ? "readfrom" : "writeto"} ${ends}: ${call} ${ends}: ${call}: ${errnoText(error)}`;
  return writing
    ? { step: "to local", message: "Error copying from remote stream to local connection", error: reason, port }
    : { step: "from local", message: "Error copying from local connection to remote stream", error: reason, port };
}

const endOf = (socket: Socket, side: "local" | "remote"): string =>
  side === "local"
    ? hostPort(socket.localAddress ?? "", socket.localPort ?? 0)
    : hostPort(socket.remoteAddress ?? "", socket.remotePort ?? 0);
