import { Agent as HttpAgent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { Cluster } from "../../../src/cluster/index.js";
import type { Dice } from "../../hostile/dice.js";

/** What the proxy does to one exchange. `after` counts bytes of the answer's body. */
type Fault =
  | { readonly kind: "none" }
  | { readonly kind: "reset" | "silence" }
  | { readonly kind: "status"; readonly code: number; readonly reason: string }
  | { readonly kind: "cut" | "stall"; readonly after: number }
  /** At the end of the event that holds byte `after`: a line of the proxy's, or none, and the end of the watch. */
  | { readonly kind: "end"; readonly after: number; readonly line: string };

interface Exchange {
  readonly what: string;
  readonly since: number;
  readonly fault: Fault;
  bytes: number;
  state: "waits for the server" | "passes on" | "stalled";
}

/**
 * An HTTP proxy before a cluster that fails as networks and servers do: connections break, answers stall, end in their middle or
 * are errors. What it does to which exchange comes from `dice`. Clients are told apart by their User-Agent.
 */
export class FaultProxy {
  /** Undefined: nothing is behind the proxy, and it resets connections. */
  target: Cluster | undefined;
  /** Whether exchanges that begin now may fail. Those that stall already go on stalling. */
  faulty = false;
  /** How many faults of each kind there were. */
  readonly counts: Record<string, number> = {};
  readonly #open = new Map<string, Set<Exchange>>();
  readonly #server = createServer((near, answer) => this.#pass(near, answer));
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 }) satisfies HttpAgent;

  constructor(private readonly dice: Dice) {}

  /** Port 0 takes a free one. Returns the URL. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What a client waits for. */
  openExchanges(userAgent: string): string[] {
    return [...(this.#open.get(userAgent) ?? [])].map(
      ({ what, since, fault, bytes, state }) =>
        `${what} (${state}, ${bytes} bytes, ${Math.round(performance.now() - since)} ms, meant: ${fault.kind})`,
    );
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(near: IncomingMessage, answer: ServerResponse): void {
    const watch = near.url?.includes("watch=true") === true;
    const fault = this.faulty ? this.#choose(watch) : ({ kind: "none" } as const);
    if (fault.kind !== "none") this.counts[fault.kind] = (this.counts[fault.kind] ?? 0) + 1;
    const client = near.headers["user-agent"] ?? "";
    const exchange: Exchange = {
      what: `${near.method} ${near.url}`,
      since: performance.now(),
      fault,
      bytes: 0,
      state: "waits for the server",
    };
    const open = this.#open.get(client) ?? new Set();
    this.#open.set(client, open.add(exchange));
    answer.once("close", () => open.delete(exchange));
    answer.on("error", () => answer.destroy());
    const { target } = this;
    if (target === undefined || fault.kind === "reset") return void near.socket.resetAndDestroy();
    if (fault.kind === "silence") {
      exchange.state = "stalled";
      return;
    }
    if (fault.kind === "status") return sendStatus(answer, fault);
    this.#forward(near, answer, target, exchange);
  }

  #forward(near: IncomingMessage, answer: ServerResponse, target: Cluster, exchange: Exchange): void {
    const far = request(new URL(near.url ?? "", target.url), {
      agent: this.#agent,
      ca: target.caCertificate,
      headers: { authorization: `Bearer ${target.token}`, accept: near.headers.accept ?? "application/json" },
    });
    answer.once("close", () => far.destroy());
    far.on("error", () => answer.destroy());
    far.on("response", (back) => {
      exchange.state = "passes on";
      answer.writeHead(back.statusCode ?? 502, { "content-type": back.headers["content-type"] });
      answer.flushHeaders();
      const faults = new BodyFaults(exchange.fault);
      back.on("data", (chunk: Buffer) => {
        const { pass, act } = faults.take(chunk);
        exchange.bytes += pass.length;
        if (!answer.write(pass)) {
          back.pause();
          answer.once("drain", () => back.resume());
        }
        if (act === undefined) return;
        back.removeAllListeners("data");
        if (act === "stall") {
          exchange.state = "stalled";
          back.pause();
        } else if (act === "cut") answer.destroy();
        else answer.end();
      });
      back.on("end", () => exchange.state !== "stalled" && answer.end());
      back.on("error", () => answer.destroy());
    });
    far.end();
  }

  #choose(watch: boolean): Fault {
    const { dice } = this;
    // Watches without a fault last: more of them than of lists must have one.
    if (dice.chance(watch ? 0.1 : 0.6)) return { kind: "none" };
    const after = 2 ** dice.below(watch ? 19 : 16) - 1;
    const common: (() => Fault)[] = [
      () => ({ kind: "reset" }),
      () => ({ kind: "silence" }),
      () => ({ kind: "status", code: 429, reason: "TooManyRequests" }),
      () => ({ kind: "status", code: 500, reason: "InternalError" }),
      () => ({ kind: "status", code: 503, reason: "ServiceUnavailable" }),
      () => ({ kind: "status", code: 410, reason: "Expired" }),
      () => ({ kind: "cut", after }),
      () => ({ kind: "stall", after }),
    ];
    if (!watch) return dice.pick(common)();
    const long: (() => Fault)[] = [
      () => ({ kind: "cut", after }),
      () => ({ kind: "stall", after }),
      () => ({ kind: "end", after, line: "" }),
      () => ({ kind: "end", after, line: errorLine(410, "Expired") }),
      () => ({ kind: "end", after, line: errorLine(500, "InternalError") }),
      () => ({ kind: "end", after, line: '{"type":"ADDED","obj\n' }),
    ];
    return dice.chance(0.25) ? dice.pick(common)() : dice.pick(long)();
  }
}

/** Finds the place in a body where its fault happens. */
class BodyFaults {
  #seen = 0;

  constructor(private readonly fault: Fault) {}

  take(chunk: Buffer): { readonly pass: Buffer; readonly act?: "cut" | "stall" | "end" } {
    const { fault } = this;
    if (fault.kind !== "cut" && fault.kind !== "stall" && fault.kind !== "end") return { pass: chunk };
    const at = Math.max(0, fault.after - this.#seen);
    this.#seen += chunk.length;
    if (at >= chunk.length) return { pass: chunk };
    if (fault.kind !== "end") return { pass: chunk.subarray(0, at), act: fault.kind };
    const end = chunk.indexOf(0x0a, at);
    if (end === -1) return { pass: chunk };
    return { pass: Buffer.concat([chunk.subarray(0, end + 1), Buffer.from(fault.line)]), act: "end" };
  }
}

const statusOf = (code: number, reason: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `the proxy answers ${reason}`,
  reason,
  code,
});

const errorLine = (code: number, reason: string): string =>
  `${JSON.stringify({ type: "ERROR", object: statusOf(code, reason) })}\n`;

function sendStatus(
  answer: ServerResponse,
  { code, reason }: { readonly code: number; readonly reason: string },
): void {
  answer.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(statusOf(code, reason)));
}
