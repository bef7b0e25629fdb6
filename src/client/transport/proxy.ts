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

/** Whether a proxy speaks SOCKS5. By either name it resolves the server's name, as Go has it. */
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
