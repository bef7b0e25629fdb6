import type { Socket } from "node:net";
import { NetworkFailure } from "./go-network-error.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxiedServer {
  /** Without brackets. */
  readonly host: string;
  /** "" for the scheme's default. */
  readonly port: string;
  readonly secure: boolean;
}

/**
 * The proxy for requests to `server`, chosen as Go does: the kubeconfig's proxy-url, else HTTPS_PROXY or HTTP_PROXY by
 * scheme, unless NO_PROXY excludes the host. The environment's proxy is never used for loopback addresses.
 */
export function proxyFor(server: ProxiedServer, proxyUrl: string | undefined, env: Environment): URL | undefined {
  if (proxyUrl !== undefined && proxyUrl !== "") return new URL(proxyUrl);
  const get = (name: string) => env[name] || env[name.toLowerCase()] || "";
  const { secure } = server;
  const setting = get(secure ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (setting === "" || bypassed(server, get("NO_PROXY"))) return undefined;
  // In a CGI script an attacker can set HTTP_PROXY with the request header "Proxy".
  if (!secure && env["REQUEST_METHOD"]) {
    throw new NetworkFailure("refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy");
  }
  return parseSetting(setting);
}

/** Whether a proxy is a SOCKS5 proxy. With either scheme it resolves the server's name itself, as in Go. */
export const isSocks = ({ protocol }: URL): boolean => protocol === "socks5:" || protocol === "socks5h:";

/** Parses a proxy variable. Without a scheme it is an http proxy; an invalid one is ignored. */
function parseSetting(setting: string): URL | undefined {
  const spellings = /^[a-z][a-z0-9+.-]*:\/\//i.test(setting) ? [setting, `http://${setting}`] : [`http://${setting}`];
  const readable = spellings.find((spelling) => URL.canParse(spelling));
  return readable === undefined ? undefined : new URL(readable);
}

/** Most commands have no proxy: node:net is loaded for those that do. */
const net = (): typeof import("node:net") => process.getBuiltinModule("node:net");

function bypassed(server: ProxiedServer, noProxy: string): boolean {
  const host = server.host.toLowerCase();
  const port = server.port || (server.secure ? "443" : "80");
  if (host === "localhost" || inCidr("127.0.0.0/8", host) || inCidr("::1/128", host)) return true;
  return noProxy
    .split(",")
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== "" && matches(rule, host, port));
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === "*") return true;
  const { isIP } = net();
  const [, name = rule, rulePort] = /^(.*?)(?::(\d+))?$/.exec(isIP(rule) === 6 ? "" : rule) ?? [];
  const subject = isIP(rule) === 6 ? rule : name.replace(/^\[|\]$/g, "");
  if (rulePort !== undefined && rulePort !== port) return false;
  if (subject.includes("/")) return inCidr(subject, host);
  if (isIP(host) !== 0) return subject === host;
  const domain = subject.replace(/^\*?\./, "");
  // "example.com" matches the host and its subdomains, ".example.com" only the subdomains.
  return host.endsWith(`.${domain}`) || (domain === subject && host === domain);
}

function inCidr(cidr: string, host: string): boolean {
  const [network = "", bits = ""] = cidr.split("/");
  const { BlockList, isIP } = net();
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return false;
  }
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

/** Opens a tunnel through an HTTP proxy. Resolves with the same socket once it is connected to host:port. */
export async function connectThroughHttp(socket: Socket, host: string, port: number, proxy: URL): Promise<Socket> {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, "User-Agent: Go-http-client/1.1"];
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const head = await readUntil(socket, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end === -1 ? undefined : end + 4;
  });
  const [, status = "", text = ""] = /^HTTP\/1\.[01] (\d{3}) ?([^\r\n]*)/.exec(head.toString("latin1")) ?? [];
  if (status === "200") return socket;
  socket.destroy();
  throw new NetworkFailure(text === "" ? `unknown status code` : text);
}

/** The value of Proxy-Authorization, "Basic ...", when the proxy's URL contains a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === "" && proxy.password === "") return undefined;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

const SOCKS_REPLIES: Readonly<Record<number, string>> = {
  1: "general SOCKS server failure",
  2: "connection not allowed by ruleset",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/**
 * Connects through a SOCKS5 proxy (RFC 1928), which resolves the name. Authenticates by RFC 1929 when the URL contains a
 * user.
 */
export async function connectThroughSocks(socket: Socket, host: string, port: number, proxy: URL): Promise<Socket> {
  const hasUser = proxy.username !== "";
  socket.write(Buffer.from(hasUser ? [5, 2, 0, 2] : [5, 1, 0]));
  const method = (await readUntil(socket, exactly(2)))[1];
  if (method === 2 && hasUser) {
    const user = Buffer.from(decodeURIComponent(proxy.username));
    const password = Buffer.from(decodeURIComponent(proxy.password));
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
    const answer = await readUntil(socket, exactly(2));
    if (answer[1] !== 0) throw broken(socket, host, port, "username/password authentication failed");
  } else if (method !== 0) {
    throw broken(socket, host, port, "no acceptable authentication methods");
  }
  const name = Buffer.from(host);
  const head = Buffer.from([5, 1, 0, 3, name.length]);
  socket.write(Buffer.concat([head, name, Buffer.from([port >> 8, port & 0xff])]));
  const reply = await readUntil(socket, (bytes) => {
    if (bytes.length < 5) return undefined;
    const addressLength = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : 1 + (bytes[4] ?? 0);
    const length = 4 + addressLength + 2;
    return bytes.length < length ? undefined : length;
  });
  const code = reply[1] ?? 1;
  if (code !== 0) throw broken(socket, host, port, `unknown error ${SOCKS_REPLIES[code] ?? `unknown code: ${code}`}`);
  return socket;
}

function broken(socket: Socket, host: string, port: number, why: string): NetworkFailure {
  const from = `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`;
  socket.destroy();
  return new NetworkFailure(`socks connect tcp ${from}->${host}:${port}: ${why}`);
}

const exactly = (length: number) => (bytes: Buffer) => (bytes.length < length ? undefined : length);

/** Reads until `complete` returns a length, and pushes the bytes after it back. Rejects with what `complete` throws. */
export function readUntil(socket: Socket, complete: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => {
      socket.off("readable", onReadable);
      socket.off("error", onError);
      socket.off("close", onClose);
    };
    // Reading so leaves the socket as it was: it flows once its next reader listens.
    const onReadable = () => {
      for (let chunk = read(); chunk !== null; chunk = read()) {
        bytes = Buffer.concat([bytes, chunk]);
        let length: number | undefined;
        try {
          length = complete(bytes);
        } catch (error) {
          onError(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (length === undefined) continue;
        stop();
        if (bytes.length > length) socket.unshift(bytes.subarray(length));
        resolve(bytes.subarray(0, length));
        return;
      }
    };
    const read = (): Buffer | null => socket.read() as Buffer | null;
    const onError = (error: Error) => {
      stop();
      reject(error);
    };
    const onClose = () => {
      stop();
      reject(new NetworkFailure("EOF"));
    };
    socket.on("readable", onReadable);
    socket.on("error", onError);
    socket.on("close", onClose);
  });
}
