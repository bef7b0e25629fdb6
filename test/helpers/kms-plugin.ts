import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { rmSync } from "node:fs";

/** A KMS plugin of versions v2 and v1 on a Unix socket, written for gRPC's wire format and nothing of ours. */
export interface KmsPlugin {
  readonly endpoint: string;
  /** The key that encrypts from now on; all keys that were used decrypt. */
  keyId: string;
  /** What Status answers as healthz. */
  healthz: string;
  version: string;
  /** What it names its one annotation. */
  annotation: string;
  /** Where set, every call fails with this gRPC status. */
  failure: { readonly code: number; readonly message: string } | undefined;
  /** The calls so far: "Status", "Encrypt", "Decrypt", "Version". */
  readonly calls: string[];
  /** Ends the plugin and all its connections. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startKmsPlugin(socket: string): Promise<KmsPlugin> {
  let server: Http2Server | undefined;
  const sessions = new Set<ServerHttp2Session>();
  const plugin: KmsPlugin = {
    endpoint: `unix://${socket}`,
    keyId: "key-1",
    healthz: "ok",
    version: "v2",
    annotation: "made-by.test.kubets.dev",
    failure: undefined,
    calls: [],
    async start() {
      server = createServer();
      server.on("session", (session: ServerHttp2Session) => {
        sessions.add(session);
        session.on("close", () => sessions.delete(session));
      });
      server.on("stream", (stream: ServerHttp2Stream, headers) => answer(plugin, stream, String(headers[":path"])));
      await new Promise<void>((resolve) => server?.listen(socket, resolve));
    },
    async stop() {
      const ending = server;
      server = undefined;
      for (const session of sessions) session.destroy();
      if (ending !== undefined) await new Promise((resolve) => ending.close(resolve));
      rmSync(socket, { force: true });
    },
  };
  await plugin.start();
  return plugin;
}

function answer(plugin: KmsPlugin, stream: ServerHttp2Stream, path: string): void {
  const chunks: Buffer[] = [];
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
  stream.on("end", () => {
    const [, service = "", method = ""] = path.split("/");
    plugin.calls.push(method);
    const fail = (code: number, message: string): void =>
      stream.respond(
        { ":status": 200, "content-type": "application/grpc", "grpc-status": code, "grpc-message": message },
        { endStream: true },
      );
    if (plugin.failure !== undefined) return fail(plugin.failure.code, plugin.failure.message);
    let message: Buffer;
    try {
      message = handle(plugin, service, method, fieldsOf(Buffer.concat(chunks).subarray(5)));
    } catch (error) {
      return fail(3, String(error));
    }
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.concat([frame, message]));
  });
}

function handle(plugin: KmsPlugin, service: string, method: string, fields: Fields): Buffer {
  const one = (number: number): Buffer => fields.get(number)?.[0] ?? Buffer.alloc(0);
  const v2 = service === "v2.KeyManagementService";
  switch (method) {
    case "Status":
      return Buffer.concat([field(1, plugin.version), field(2, plugin.healthz), field(3, plugin.keyId)]);
    case "Version":
      return Buffer.concat([field(1, "v1beta1"), field(2, "test"), field(3, "1.0.0")]);
    case "Encrypt": {
      const sealed = seal(plugin.keyId, one(v2 ? 1 : 2));
      if (!v2) return field(1, sealed);
      const annotation = Buffer.concat([field(1, plugin.annotation), field(2, "the test")]);
      return Buffer.concat([field(1, sealed), field(2, plugin.keyId), field(3, annotation)]);
    }
    case "Decrypt":
      if (v2 && !one(4).includes("the test")) throw new Error("the annotation is another one");
      if (
        v2 &&
        !one(1)
          .toString("latin1")
          .startsWith(`${one(3).toString()}\n`)
      )
        throw new Error("of another key");
      return field(1, open(one(v2 ? 1 : 2)));
    default:
      throw new Error(`there is no method ${service}/${method}`);
  }
}

const keyOf = (keyId: string): Buffer => createHash("sha256").update(keyId).digest();

function seal(keyId: string, plain: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(keyId), nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([Buffer.from(`${keyId}\n`), nonce, sealed]);
}

function open(stored: Buffer): Buffer {
  const end = stored.indexOf("\n");
  const rest = stored.subarray(end + 1);
  const decipher = createDecipheriv("aes-256-gcm", keyOf(stored.subarray(0, end).toString()), rest.subarray(0, 12));
  decipher.setAuthTag(rest.subarray(-16));
  return Buffer.concat([decipher.update(rest.subarray(12, -16)), decipher.final()]);
}

type Fields = ReadonlyMap<number, readonly Buffer[]>;

/** The fields of a protobuf message that has nothing but texts, bytes and messages. */
function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let [value, shift] = [0, 1];
    for (;;) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
      shift *= 128;
    }
  };
  while (at < message.length) {
    const tag = varint();
    if ((tag & 7) !== 2) throw new Error(`wire type ${tag & 7}`);
    const length = varint();
    const values = fields.get(tag >> 3) ?? [];
    fields.set(tag >> 3, [...values, message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

function field(number: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as string);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes]);
}
