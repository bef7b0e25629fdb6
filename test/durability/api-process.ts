import { spawn } from "node:child_process";
import { Agent, type RequestOptions, request } from "node:https";

/** A server process, and a client that speaks HTTP/1.1 to it. */
export interface ApiProcess {
  readonly pid: number;
  /** Rejects when the connection breaks before the answer is whole. */
  call(method: string, path: string, body?: object, type?: string): Promise<ApiAnswer>;
  /** Ends with the answer or with the connection; rejects when there is no stream. */
  watch(path: string, onEvent: (event: ApiEvent) => void): Promise<void>;
  /** kill -9, then waits for the end. */
  kill(): Promise<void>;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<void>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: ApiObject;
}

export interface ApiObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly uid?: string;
    readonly continue?: string;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly ApiObject[];
  readonly code?: number;
  readonly message?: string;
  /** Of a Status: what it is about. */
  readonly details?: { readonly uid?: string };
}

export interface ApiEvent {
  readonly type: string;
  readonly object: ApiObject;
}

interface StartOptions {
  readonly trace?: readonly string[];
  readonly connections?: number;
  readonly etcd?: string;
  readonly args?: readonly string[];
}

interface Ready {
  readonly url: string;
  readonly token: string;
  readonly caCertificate: string;
  readonly pid: number;
}

/** Resolves when the API is ready. `connections`: how many the client may open for calls; `args`: in place of the folder and etcd. */
export async function startApi(
  script: string,
  directory: string,
  { trace = [], connections = 8, etcd, args: own }: StartOptions = {},
): Promise<ApiProcess> {
  const [command = process.execPath, ...args] = trace;
  if (trace.length > 0) args.push(process.execPath);
  const child = spawn(command, [...args, script, ...(own ?? [directory, ...(etcd === undefined ? [] : [etcd])])], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const ready = await new Promise<Ready>((resolve, reject) => {
    let [output, errors] = ["", ""];
    child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      if (output.endsWith("\n")) resolve(JSON.parse(output) as Ready);
    });
    child.on("close", () => reject(new Error(`the server ended: ${errors}`)));
  });
  const tls = { ca: ready.caCertificate, headers: { authorization: `Bearer ${ready.token}` } };
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const open = (path: string, options: RequestOptions) => request(`${ready.url}${path}`, options);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    agent.destroy();
    process.kill(ready.pid, signal);
    await exited;
  };
  return {
    pid: ready.pid,
    call: (method, path, body, type = "application/json") =>
      new Promise((resolve, reject) => {
        const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
        const headers = { ...tls.headers, ...(bytes && { "content-type": type, "content-length": bytes.byteLength }) };
        const outgoing = open(path, { ...tls, agent, method, headers });
        outgoing.on("error", reject).on("response", (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (more: string) => (text += more));
          answer.on("error", reject);
          answer.on("end", () => {
            const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
            const parsed: unknown = isJson ? JSON.parse(text) : { message: text };
            resolve({ status: answer.statusCode ?? 0, body: parsed as ApiObject });
          });
        });
        outgoing.end(bytes);
      }),
    watch: (path, onEvent) =>
      new Promise((resolve, reject) => {
        const outgoing = open(path, { ...tls, agent: false });
        outgoing.on("error", reject).on("response", (answer) => {
          if (answer.statusCode !== 200) {
            answer.resume();
            reject(new Error(`no watch: ${answer.statusCode}`));
            return;
          }
          let text = "";
          answer.setEncoding("utf8").on("data", (more: string) => {
            const lines = (text + more).split("\n");
            text = lines.pop() ?? "";
            for (const line of lines) onEvent(JSON.parse(line) as ApiEvent);
          });
          answer.on("error", () => resolve()).on("close", () => resolve());
        });
        outgoing.end();
      }),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}
