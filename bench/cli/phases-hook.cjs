// Preloaded into kubets by phases.mjs: notes when a command first reads its configuration, connects, and so on, and prints the times
// at its end, in milliseconds since the process was started, to the file descriptor 3.
"use strict";
const fs = require("node:fs");
const net = require("node:net");
const tls = require("node:tls");

const times = {};
const note = (phase) => (times[phase] ??= performance.now());
note("runtime");

for (const name of ["readFileSync", "openSync", "statSync"]) {
  const real = fs[name];
  fs[name] = function (path, ...rest) {
    if (String(path) === process.env.KUBECONFIG) note("load");
    return real.call(this, path, ...rest);
  };
}
const connect = net.connect;
net.connect = (...given) => {
  note("configuration");
  return connect(...given).once("connect", () => note("dial"));
};
const secure = tls.connect;
tls.connect = (...given) => secure(...given).once("secureConnect", () => note("tls"));
const write = tls.TLSSocket.prototype.write;
tls.TLSSocket.prototype.write = function (...given) {
  times.request = performance.now();
  return write.apply(this, given);
};
const push = tls.TLSSocket.prototype.push;
tls.TLSSocket.prototype.push = function (...given) {
  times.answer = performance.now();
  return push.apply(this, given);
};
process.on("exit", () => {
  times.print = performance.now();
  fs.writeSync(3, JSON.stringify(times));
});
