import { describe, expect, test } from "vitest";
import { proxyFor } from "../../../src/client/transport/proxy.js";

describe("the proxy that the client uses for a server", () => {
  interface Row {
    readonly title: string;
    readonly server: string;
    readonly env: Readonly<Record<string, string>>;
    readonly proxyUrl?: string;
    readonly expected: string | undefined;
  }
  const proxy = "http://proxy.example:3128";
  const through = { HTTPS_PROXY: proxy };
  const without = (rules: string, server: string, title: string): Row => ({
    title,
    server,
    env: { ...through, NO_PROXY: rules },
    expected: undefined,
  });
  const despite = (rules: string, server: string, title: string): Row => ({
    ...without(rules, server, title),
    expected: `${proxy}/`,
  });
  const rows: readonly Row[] = [
    { title: "none without a setting", server: "https://a.example", env: {}, expected: undefined },
    { title: "HTTPS_PROXY for https", server: "https://a.example", env: through, expected: `${proxy}/` },
    { title: "not HTTPS_PROXY for http", server: "http://a.example", env: through, expected: undefined },
    { title: "HTTP_PROXY for http", server: "http://a.example", env: { HTTP_PROXY: proxy }, expected: `${proxy}/` },
    { title: "lower case works", server: "https://a.example", env: { https_proxy: proxy }, expected: `${proxy}/` },
    {
      title: "upper case wins",
      server: "https://a.example",
      env: { ...through, https_proxy: "http://other" },
      expected: `${proxy}/`,
    },
    {
      title: "a setting without a scheme is http",
      server: "https://a.example",
      env: { HTTPS_PROXY: "10.0.0.9:8080" },
      expected: "http://10.0.0.9:8080/",
    },
    {
      title: "a setting that is no address counts for nothing",
      server: "https://a.example",
      env: { HTTPS_PROXY: "[bad" },
      expected: undefined,
    },
    {
      title: "the kubeconfig's proxy-url wins over NO_PROXY and loopback",
      server: "https://127.0.0.1:1",
      env: { NO_PROXY: "*" },
      proxyUrl: "socks5://127.0.0.1:1080",
      expected: "socks5://127.0.0.1:1080",
    },
    { title: "never for localhost", server: "https://localhost:6443", env: through, expected: undefined },
    { title: "never for 127.0.0.0/8", server: "https://127.9.8.7", env: through, expected: undefined },
    { title: "never for ::1", server: "https://[::1]:6443", env: through, expected: undefined },
    { title: "never for ::1 written long", server: "https://[0:0:0:0:0:0:0:1]", env: through, expected: undefined },
    without("*", "https://a.example", "* excludes everything"),
    without("a.example", "https://a.example", "a name excludes the host"),
    without("a.example", "https://b.a.example", "a name excludes its subdomains"),
    despite("a.example", "https://ba.example", "a name excludes nothing that merely ends with it"),
    without(".a.example", "https://b.a.example", "a name with a dot excludes subdomains"),
    despite(".a.example", "https://a.example", "a name with a dot does not exclude the host"),
    without("*.a.example", "https://b.a.example", "a star is a dot"),
    despite("*.a.example", "https://a.example", "a star does not exclude the host"),
    without("A.Example", "https://a.eXample", "case does not matter"),
    without(" x , a.example ", "https://a.example", "white space around rules is nothing"),
    despite(",,", "https://a.example", "empty rules are nothing"),
    without("a.example:443", "https://a.example", "a port that is the scheme's own"),
    despite("a.example:8443", "https://a.example", "another port"),
    without("a.example:8443", "https://a.example:8443", "the same port"),
    without("10.1.2.3", "https://10.1.2.3:6443", "an address"),
    despite("10.1.2.3", "https://10.1.2.30", "another address"),
    despite("10.1.2.3:1", "https://10.1.2.3:2", "an address with another port"),
    without("10.0.0.0/8", "https://10.200.1.1", "a network"),
    despite("10.0.0.0/8", "https://11.0.0.1", "an address outside the network"),
    despite("10.0.0.0/33", "https://10.0.0.1", "a network that is none"),
    without("0.0.0.0/0", "https://8.8.8.8", "the network of everything"),
    despite("10.0.0.0/8", "https://a.example", "a network says nothing of names"),
    without("fd00::/8", "https://[fd12::1]:6443", "an IPv6 network"),
    despite("fd00::/8", "https://[fe80::1]", "an address outside the IPv6 network"),
    without("fd12::1", "https://[fd12::1]", "an IPv6 address"),
    without("[fd12::1]:6443", "https://[fd12::1]:6443", "an IPv6 address with a port"),
  ];

  test.each(rows)("$title", ({ server, env, proxyUrl, expected }) => {
    const [, scheme, host = "", port = ""] = /^(https?):\/\/(\[[^\]]*\]|[^:/]*):?(\d*)$/.exec(server) ?? [];
    const found = proxyFor({ host: host.replace(/[[\]]/g, ""), port, secure: scheme === "https" }, proxyUrl, env);
    expect(found?.href).toBe(expected);
  });

  test("HTTP_PROXY is ignored in a CGI script, where a request's header could set it", () => {
    const env = { HTTP_PROXY: proxy, REQUEST_METHOD: "GET" };
    expect(() => proxyFor({ host: "a.example", port: "", secure: false }, undefined, env)).toThrow(
      "refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy",
    );
  });
});
