// Measures what a TLS connection costs servers in CPU, beside a bare node:tls server with the same key that asks for client
// certificates too: a handshake alone, and one with a request by HTTP/1.1. Two clients dial: one of Go that has no session cache, as
// client-go (where there is Go), and one of Node. Every round runs each server once, in turn; medians of the paired ratios are
// printed. At the end 1,000 connections are dialled at once.
//   node build.mjs --fast && node bench/tls/run.mjs
//   ROUNDS=7 DIALS=200
//   BEFORE=FOLDER          another build's dist/, as one more server
//   KUBE_APISERVER=FOLDER  of a kube-apiserver 1.20 that runs on port 16443: pki/ca.crt, pki/ca.key and run/apiserver.pid are in it
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { interval } from "../paired-ratios.mjs";
import { startProcess, startServer } from "../server/processes.mjs";
import { median } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";
import { startDialers } from "./dialers.mjs";

const rounds = Number(process.env.ROUNDS ?? 7);
const dials = Number(process.env.DIALS ?? 200);
const AT_ONCE = 1000;
const LIMIT_MS = 10_000;
const OURS = "kubets";
const BARE = "bare node:tls";

const folder = mkdtempSync(join(tmpdir(), "kubets-bench-tls-"));
const servers = [];
try {
  const builds = { [OURS]: resolve(import.meta.dirname, "../../dist") };
  if (process.env.BEFORE !== undefined) builds.before = resolve(process.env.BEFORE);
  for (const [name, dist] of Object.entries(builds)) {
    const server = await startServer(dist, join(folder, name));
    servers.push({ name, server, target: server.target, cpu: async () => (await server.usage()).cpu });
  }
  const bare = await startProcess(resolve(import.meta.dirname, "bare.mjs"), [join(folder, OURS, "pki.json")]);
  const [{ target }] = servers;
  servers.push({
    name: BARE,
    server: bare,
    target: { ...target, port: bare.ready.port },
    cpu: async () => (await bare.usage()).cpu,
  });
  if (process.env.KUBE_APISERVER !== undefined) servers.push(kubeApiserver(process.env.KUBE_APISERVER));
  const dialers = await startDialers(folder);
  process.stdout.write(`node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}), ${rounds} rounds\n\n`);
  const lines = [["", "CPU a connection", `of ${BARE}`, "95 %", "of before"]];
  for (const dialer of dialers) {
    for (const { what, ...options } of [
      { what: "a handshake, with a client certificate", shows: true, asks: false },
      { what: "the same and a request", shows: true, asks: true },
      { what: "a handshake and a request, without a certificate", shows: false, asks: true },
    ]) {
      lines.push([`${dialer.name}: ${what}`]);
      for (const { target: to } of servers) await dialer.dial(to, { ...options, count: 50, parallel: 1 });
      const samples = await inTurn(servers, rounds, async ({ target: to, cpu }) => {
        const before = await cpu();
        await dialer.dial(to, { ...options, count: dials, parallel: 1 });
        return ((await cpu()) - before) / dials;
      });
      for (const { name } of servers) lines.push(row(name, samples, options));
    }
    lines.push([`${dialer.name}: ${AT_ONCE} at once, with a certificate and a request`]);
    for (const { name, target: to } of servers) {
      const { took, served } = await dialer.dial(to, { shows: true, asks: true, count: AT_ONCE, parallel: AT_ONCE });
      const met = served === AT_ONCE && took <= LIMIT_MS;
      const must = name === OURS ? `all in ${LIMIT_MS / 1000} s: ${met ? "met" : "MISSED"}` : "";
      lines.push([`  ${name}`, `${(took / 1000).toFixed(1)} s`, `${served} served`, must, ""]);
    }
  }
  process.stdout.write(tableText(lines));
  for (const dialer of dialers) await dialer.stop();
} finally {
  for (const { server } of servers) await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function row(name, samples, { asks }) {
  const own = samples.get(name);
  const to = (other) => own.map((value, round) => value / samples.get(other)[round]);
  const [low, high] = interval(to(BARE));
  const ofBare = median(to(BARE));
  // A request costs a server more than the bare one, which answers with a constant.
  const must = name === OURS && !asks ? ` 1.20: ${ofBare <= 1.2 ? "met" : "MISSED"}` : "";
  return [
    `  ${name}`,
    `${median(own).toFixed(0)} us`,
    `${ofBare.toFixed(2)}${must}`,
    `[${low.toFixed(2)}, ${high.toFixed(2)}]`,
    samples.has("before") ? median(to("before")).toFixed(2) : "",
  ];
}

/** A process that others started: it is asked what it has cost, and left running. */
function kubeApiserver(peer) {
  const file = (name) => join(peer, name);
  const client = join(folder, "peer-client");
  if (!existsSync(file("run/apiserver.pid"))) throw new Error(`no kube-apiserver runs from ${peer}`);
  const openssl = (...args) => execFileSync("openssl", args, { stdio: "pipe" });
  openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", `${client}.key`);
  openssl("req", "-new", "-key", `${client}.key`, "-subj", "/O=system:masters/CN=admin", "-out", `${client}.csr`);
  writeFileSync(`${client}.ext`, "extendedKeyUsage=clientAuth\n");
  const ca = ["-CA", file("pki/ca.crt"), "-CAkey", file("pki/ca.key"), "-set_serial", "77"];
  openssl(
    "x509",
    "-req",
    "-in",
    `${client}.csr`,
    ...ca,
    "-days",
    "1",
    "-extfile",
    `${client}.ext`,
    "-out",
    `${client}.crt`,
  );
  const text = (path) => readFileSync(path, "utf8");
  const pid = text(file("run/apiserver.pid")).trim();
  const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return {
    name: "kube-apiserver 1.20",
    target: { port: 16_443, ca: text(file("pki/ca.crt")), cert: text(`${client}.crt`), key: text(`${client}.key`) },
    async cpu() {
      const [user, system] = text(`/proc/${pid}/stat`)
        .replace(/^.*\) /, "")
        .split(" ")
        .slice(11, 13)
        .map(Number);
      return ((user + system) * 1e6) / ticks;
    },
  };
}
