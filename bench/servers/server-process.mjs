import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent as HttpAgent, request as requestPlain } from "node:http";
import { Agent, request as requestTls } from "node:https";
import { createServer } from "node:net";

const HOST = "127.0.0.1";
const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 1;

// What a machine adds to the authorities of Node and bun takes every start of theirs 10 ms and more.
const { NODE_EXTRA_CA_CERTS: _, ...surroundings } = process.env;

/** A program that serves with TLS on a port of this machine, from its exec until it is stopped. */
export class ServerProcess {
  #child;
  #stderr = "";
  #ended = false;

  /**
   * Resolves when /readyz has answered 200. Rejects for a program that ends, or is not ready in a minute.
   * @param {readonly string[]} argv The program and its first arguments.
   * @param {{ certFile: string, keyFile: string }} [certificate] Without it the program makes its own.
   */
  static async start(argv, certificate) {
    const port = await freePort();
    const words = [...argv.slice(1), `--secure-port=${port}`];
    if (certificate) {
      words.push(`--tls-cert-file=${certificate.certFile}`, `--tls-private-key-file=${certificate.keyFile}`);
    }
    return ServerProcess.#started(new ServerProcess(argv[0], words, port), { protocol: "https:", path: "/readyz" });
  }

  /** {@link start} for an etcd, without TLS and on its client's port alone. */
  static async startEtcd(argv) {
    const port = await freePort();
    const words = [...argv.slice(1), `--listen-client-urls=http://${HOST}:${port}`];
    return ServerProcess.#started(new ServerProcess(argv[0], words, port), { protocol: "http:", path: "/health" });
  }

  static async #started(server, question) {
    try {
      await server.#becomeReady(question);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  constructor(program, words, port) {
    this.port = port;
    this.started = performance.now();
    this.#child = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"], env: surroundings });
    this.#child.stderr.on("data", (chunk) => (this.#stderr = (this.#stderr + chunk).slice(-2000)));
    this.#child.once("exit", () => (this.#ended = true));
    this.#child.once("error", (error) => {
      this.#ended = true;
      this.#stderr += error.message;
    });
  }

  async #becomeReady({ protocol, path }) {
    const agent = new (protocol === "https:" ? Agent : HttpAgent)({ keepAlive: true });
    while (!(await answersReady({ protocol, path, port: this.port, agent }))) {
      if (this.#ended) throw new Error(`the server ended: ${this.#stderr}`);
      if (performance.now() - this.started > READY_LIMIT_MS)
        throw new Error(`the server is not ready: ${this.#stderr}`);
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
    /** Milliseconds. */
    this.readyAfter = performance.now() - this.started;
    agent.destroy();
  }

  /** Resident memory in megabytes, as the kernel counts it. */
  rss() {
    return (
      (Number(execFileSync("ps", ["-o", "rss=", "-p", String(this.#child.pid)], { encoding: "utf8" })) * 1024) / 1e6
    );
  }

  /** Ends the process by SIGTERM, and by SIGKILL when it takes long. */
  async stop() {
    if (this.#ended) return;
    const exited = once(this.#child, "exit");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_LIMIT_MS);
    this.#child.kill("SIGTERM");
    await exited;
    clearTimeout(timer);
  }
}

/** Runs a program that prints one JSON value. */
export function jsonOf(argv) {
  const options = {
    env: surroundings,
    encoding: "utf8",
    timeout: READY_LIMIT_MS,
    stdio: ["ignore", "pipe", "inherit"],
  };
  return JSON.parse(execFileSync(argv[0], argv.slice(1), options));
}

function answersReady(question) {
  const request = question.protocol === "https:" ? requestTls : requestPlain;
  return new Promise((resolve) => {
    const asked = request(
      { ...question, host: HOST, rejectUnauthorized: false, timeout: READY_LIMIT_MS },
      (response) => {
        response.resume();
        response.once("close", () => resolve(response.statusCode === 200));
      },
    );
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(false));
    asked.end();
  });
}

async function freePort() {
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
