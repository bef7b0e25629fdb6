import { fork } from "node:child_process";
import { resolve as resolvePath } from "node:path";

/** A process of this folder, or of an absolute path, that answers each message with one; `ask` resolves with the answer. */
export async function startProcess(file, args = []) {
  const started = performance.now();
  const child = fork(resolvePath(import.meta.dirname, file), args, { serialization: "advanced" });
  const waiting = [];
  let ended;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.once("exit", (code) => {
    ended = new Error(`${file} ended with ${code}`);
    for (const { reject } of waiting.splice(0)) reject(ended);
  });
  child.on("message", (message) => {
    const { resolve, reject } = waiting.shift();
    if (message.error === undefined) resolve(message);
    else reject(new Error(message.error));
  });
  const next = () =>
    new Promise((resolve, reject) => {
      if (ended === undefined) waiting.push({ resolve, reject });
      else reject(ended);
    });
  const ready = await next();
  return {
    ready,
    readyAfter: performance.now() - started,
    ask(message) {
      const answer = next();
      child.send(message);
      return answer;
    },
    usage: async function () {
      return (await this.ask({ op: "usage" })).usage;
    },
    async stop() {
      child.send({ op: "stop" });
      await exited;
    },
    /** For those that hold nothing. */
    async kill() {
      child.disconnect();
      await exited;
    },
  };
}

/** A kubets server on a data folder, and how to reach it as its administrator. */
export async function startServer(dist, dataDir) {
  const server = await startProcess("serve.mjs", [dist, dataDir]);
  return { ...server, usage: server.usage, target: targetOf(JSON.parse(server.ready.kubeconfig)) };
}

export function targetOf(kubeconfig) {
  const { server, "certificate-authority-data": ca } = kubeconfig.clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = kubeconfig.users[0].user;
  const pem = (text) => Buffer.from(text, "base64").toString();
  return { port: Number(new URL(server).port), ca: pem(ca), cert: pem(cert), key: pem(key) };
}
