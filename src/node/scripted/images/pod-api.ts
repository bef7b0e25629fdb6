import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { Secret } from "../../../api/types/core/v1.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { ProgramIo } from "../program.js";
import { exchange } from "../programs/network/http-exchange.js";

/** Thrown when the API refuses a request; in the server's words. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** Of the Status: "NotFound", "AlreadyExists", "Forbidden". */
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Of a token, a certificate, an answer. Bytes. */
const LONGEST_FILE = 1024 * 1024;
const LONGEST_ANSWER = 4 * 1024 * 1024;

/** The API as a program in a pod reaches it: by the Service "kubernetes", as the service account whose token is mounted in the pod. */
export class PodApi {
  private constructor(
    private readonly io: ProgramIo,
    private readonly host: string,
    private readonly token: string,
    private readonly ca: Uint8Array,
    /** The pod's. */
    readonly namespace: string,
  ) {}

  /** Throws in the words of client-go where the container has no service account. */
  static open(io: ProgramIo): PodApi {
    const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = io.env;
    if (host === "" || port === "") {
      throw new Error(
        "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
      );
    }
    const read = (name: string): Buffer => {
      const path = `${ACCOUNT}/${name}`;
      if (io.files.look(path)?.kind !== "file") throw new Error(`open ${path}: no such file or directory`);
      return io.files.content(path, LONGEST_FILE) ?? Buffer.alloc(0);
    };
    const token = read("token").toString("utf8").trim();
    return new PodApi(io, `${host}:${port}`, token, read("ca.crt"), read("namespace").toString("utf8").trim());
  }

  get(path: string): Promise<JsonObject> {
    return this.#request("GET", path);
  }

  create(path: string, body: JsonObject): Promise<JsonObject> {
    return this.#request("POST", path, body);
  }

  /** False where it is there already. */
  async createOnce(path: string, body: JsonObject): Promise<boolean> {
    try {
      await this.create(path, body);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.reason === "AlreadyExists") return false;
      throw error;
    }
  }

  update(path: string, body: JsonObject): Promise<JsonObject> {
    return this.#request("PUT", path, body);
  }

  /** Throws an {@link ApiError} for what the server refuses, and an error in Go's words where it is not reached. */
  async #request(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const { io, host, token, ca } = this;
    const url = new URL(`https://${host}${path}`);
    const sent = body && Buffer.from(JSON.stringify(body));
    const headers: [string, string][] = [
      ["Host", host],
      ["Accept", "application/json"],
      ["Authorization", `Bearer ${token}`],
      ...(sent
        ? ([
            ["Content-Type", "application/json"],
            ["Content-Length", `${sent.length}`],
          ] as const)
        : []),
    ].map(([name = "", value = ""]) => [name, value]);
    const { response } = await exchange(io, {
      method,
      url,
      headers,
      body: sent,
      tls: () => ({ ca }),
      signal: io.signal,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LONGEST_ANSWER)
        throw new Error(`${method} ${path}: the answer has more than ${LONGEST_ANSWER} bytes`);
      chunks.push(chunk);
    }
    const answer = JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject;
    if ((response.statusCode ?? 0) < 400) return answer;
    throw new ApiError(text(answer["reason"]), text(answer["message"]));
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.reason === "NotFound";

export const secretPath = (namespace: string, name = ""): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets${name && `/${encodeURIComponent(name)}`}`;

/** Makes a Secret of `data`, which is not in base64. */
export const secretOf = (metadata: JsonObject, data: Readonly<Record<string, string>>, type = "Opaque"): JsonObject =>
  ({
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
    type,
  }) satisfies FieldsOf<Secret>;

/** Decodes the value of a Secret's key; undefined where it is absent or empty. */
export function secretValue(secret: JsonObject, key: string): string | undefined {
  const value = text(object(secret["data"])[key]);
  return value === "" ? undefined : Buffer.from(value, "base64").toString("utf8");
}
