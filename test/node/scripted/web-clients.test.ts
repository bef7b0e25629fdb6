import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { httpPort } from "../../../src/node/scripted/ports.js";
import { type ScriptedContainer, startScripted } from "../../helpers/scripted-container.js";

/** Says what it was asked, redirects, fails, and waits. */
const server = httpPort((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "", "http://x");
  let body = "";
  for await (const chunk of request) body += String(chunk);
  if (pathname === "/slow") return;
  if (pathname === "/moved") response.writeHead(302, { location: "/page" });
  else if (pathname === "/again") response.writeHead(301, { location: "/again" });
  else if (pathname === "/missing") response.writeHead(404);
  else if (pathname === "/busy") response.writeHead(503);
  const { host: _, connection: __, ...headers } = request.headers;
  const shown = Object.entries(headers)
    .filter(([name]) => !["accept", "user-agent", "content-length"].includes(name))
    .map(([name, value]) => ` ${name}=${String(value)}`);
  response.end(`${request.method} ${request.url}${shown.join("")}${body === "" ? "" : ` [${body}]`}\n`);
}

let container: Promise<ScriptedContainer> | undefined;
const run = async (script: string) => {
  container ??= startScripted({ ports: { 80: server } });
  const { sh } = await container;
  const { stdout, stderr, code } = await sh(`mkdir -p /w; cd /w; ${script}`);
  return [stdout, stderr.replace(/after \d+ m/g, "after N m"), code];
};

type Row = readonly [script: string, stdout: string, code: number, stderr: string];

/** Rows without a text for stderr write nothing there. */
const rows = (given: readonly (readonly [string, string, number, string?])[]): Row[] =>
  given.map(([script, stdout, code, stderr = ""]) => [script, stdout, code, stderr]);

describe("the scripted curl", () => {
  test.each(
    rows([
      ["curl -s localhost/page", "GET /page\n", 0],
      [
        "curl -s -d a=b --data c=d http://localhost/x",
        "POST /x content-type=application/x-www-form-urlencoded [a=b&c=d]\n",
        0,
      ],
      [
        "echo '{\"a\": 1}' > f; curl -s -d @f localhost/x -H 'Content-Type: a/b'",
        'POST /x content-type=a/b [{"a": 1}]\n',
        0,
      ],
      ["printf 'a\\nb\\n' | curl -s --data-binary @- localhost/x -H Content-Type:", "POST /x [a\nb\n]\n", 0],
      ["curl -sG --data-urlencode 'q=a b&c' localhost/s", "GET /s?q=a%20b%26c\n", 0],
      ["curl -s --json '{}' -X PATCH localhost/x", "PATCH /x content-type=application/json [{}]\n", 0],
      ["curl -s -u me:secret -b a=b localhost/x", "GET /x authorization=Basic bWU6c2VjcmV0 cookie=a=b\n", 0],
      ["echo up > f; curl -sT f localhost/x", "PUT /x [up\n]\n", 0],
      ["curl -s localhost/moved", "GET /moved\n", 0],
      [
        "curl -sL localhost/moved -w '%{http_code} %{num_redirects} %{url_effective} %{size_download}%%\\n'",
        "GET /page\n200 1 http://localhost/page 10%\n",
        0,
      ],
      ["curl -sL -d a localhost/moved", "GET /page\n", 0],
      ["curl -sSL --max-redirs 3 localhost/again", "", 47, "curl: (47) Maximum (3) redirects followed\n"],
      ["curl -sf localhost/missing", "", 22],
      ["curl -sSf localhost/missing", "", 22, "curl: (22) The requested URL returned error: 404\n"],
      [
        "curl -sS --fail-with-body localhost/missing",
        "GET /missing\n",
        22,
        "curl: (22) The requested URL returned error: 404\n",
      ],
      ["curl -s localhost/missing; echo $?", "GET /missing\n0\n", 0],
      ["curl -so f localhost/page && curl -sO localhost/name.txt && cat f name.txt", "GET /page\nGET /name.txt\n", 0],
      ["curl -sO localhost/", "", 23],
      [
        "curl -so /no/such/f localhost/; curl -s --create-dirs -o /made/for/f localhost/ && cat /made/for/f",
        "GET /\n",
        0,
      ],
      ["curl -sI localhost/page | head -1", "HTTP/1.1 200 OK\r\n", 0],
      ["curl -si localhost/missing | sed -n '1p;$p'", "HTTP/1.1 404 Not Found\r\nGET /missing\n", 0],
      ["curl -s -m 0.2 localhost/slow", "", 28],
      ["curl -s --resolve web.example:80:127.0.0.1 http://web.example/page", "GET /page\n", 0],
      [
        "curl -sS localhost:81",
        "",
        7,
        "curl: (7) Failed to connect to localhost port 81 after N ms: Could not connect to server\n",
      ],
      ["curl -s --retry 2 --retry-delay 1 --max-time 1 localhost/busy -w '%{http_code}' -o /dev/null", "503503503", 0],
      ["curl -sS nowhere", "", 6, "curl: (6) Could not resolve host: nowhere\n"],
      ["curl -sS 'http://a b/'", "", 3, "curl: (3) URL rejected: Malformed input to a URL function\n"],
      ["curl ftp://localhost", "", 1, 'curl: (1) Protocol "ftp" not supported\n'],
      [
        "curl --such",
        "",
        2,
        "curl: option --such: is unknown\ncurl: try 'curl --help' or 'curl --manual' for more information\n",
      ],
      [
        "curl -o",
        "",
        2,
        "curl: option -o: requires parameter\ncurl: try 'curl --help' or 'curl --manual' for more information\n",
      ],
      ["curl -F a=b localhost", "", 2, "curl: option -F: is not supported in a simulated container\n"],
    ]),
  )("%s", async (script, stdout, code, stderr) => {
    expect(await run(script)).toEqual([stdout, stderr, code]);
  });

  test("prints request and answer with -v, and a progress meter without -s", async () => {
    const [, verbose] = await run("curl -sv localhost/page -o /dev/null");
    expect(verbose).toMatch(
      /^\* {3}Trying 127\.0\.0\.1:80\.\.\.\n\* Connected to localhost \(127\.0\.0\.1\) port 80\n> GET \/page HTTP\/1\.1\n> Host: localhost\n[^]*\n< HTTP\/1\.1 200 OK\n/,
    );
    const [, meter] = await run("curl localhost/page -o /dev/null");
    expect(meter).toMatch(/^ {2}% Total {4}% Received[^]*\r100 {4}10 {2}100 {4}10 /);
  });
});

describe("the scripted wget", () => {
  test.each(
    rows([
      ["wget -qO- http://localhost/page", "GET /page\n", 0],
      ["wget -q localhost && cat index.html; rm index.html", "GET /\n", 0],
      [
        "wget -q -P d localhost/a.txt; mkdir d; wget -q -P d localhost/a.txt && cat d/a.txt",
        "GET /a.txt\n",
        0,
        "wget: can't open 'a.txt': No such file or directory\n",
      ],
      ["touch a.txt; wget -q localhost/a.txt", "", 1, "wget: can't open 'a.txt': File exists\n"],
      [
        "wget -qO- --post-data a=b --header 'X-A: 1' localhost/x",
        "POST /x content-type=application/x-www-form-urlencoded x-a=1 [a=b]\n",
        0,
      ],
      ["wget -qO- localhost/moved", "GET /page\n", 0],
      ["wget -qO- localhost/again", "", 1, "wget: too many redirections\n"],
      ["wget -qO- localhost/missing", "", 1, "wget: server returned error: HTTP/1.1 404 Not Found\n"],
      ["wget --spider localhost/page", "", 0, "Connecting to localhost (127.0.0.1:80)\nremote file exists\n"],
      ["wget -q -T 0.2 -O- localhost/slow", "", 1, "wget: download timed out\n"],
      ["wget -qO- localhost:81", "", 1, "wget: can't connect to remote host (127.0.0.1): Connection refused\n"],
      ["wget -q ftp://localhost", "", 1, "wget: not an http or ftp url: ftp://localhost\n"],
      [
        "wget localhost/page -O /dev/null",
        "",
        0,
        `Connecting to localhost (127.0.0.1:80)\nsaving to '/dev/null'\n/dev/null            100% |${"*".repeat(32)}|    10  0:00:00 ETA\n'/dev/null' saved\n`,
      ],
    ]),
  )("%s", async (script, stdout, code, stderr) => {
    expect(await run(script)).toEqual([stdout, stderr, code]);
  });
});

describe("the scripted nc", () => {
  test.each(
    rows([
      ["printf 'GET /page HTTP/1.0\\r\\n\\r\\n' | nc localhost 80 | tail -n 1", "GET /page\n", 0],
      ["nc -zv localhost 80", "", 0, "localhost (127.0.0.1:80) open\n"],
      ["nc -z localhost 81", "", 1, "nc: can't connect to remote host (127.0.0.1): Connection refused\n"],
      ["nc -l -p 7001 > got & printf hello | nc localhost 7001; wait; cat got", "hello", 0],
      [
        "nc -lk -p 7002 -e 'read line; echo got $line' & for i in 1 2; do echo $i | nc localhost 7002; done; kill %1",
        "got 1\ngot 2\n",
        0,
      ],
      ["nc -l -p 80", "", 1, "nc: bind: Address already in use\n"],
      ["nc localhost x", "", 1, "nc: bad port 'x'\n"],
    ]),
  )("%s", async (script, stdout, code, stderr) => {
    expect(await run(script)).toEqual([stdout, stderr, code]);
  });
});
