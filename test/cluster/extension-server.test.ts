import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { createTransport } from "../../src/client/transport/create-transport.js";
import { extensionServerOptions } from "../../src/cluster/extension-server.js";
import type { RunningServer } from "../../src/cluster/running-server.js";
import { serverCommand } from "../../src/cluster/stages/server-command.js";
import { serverOptions } from "../../src/cluster/start-server.js";
import { call } from "../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../helpers/custom-definitions.js";
import { eventually } from "../helpers/eventually.js";
import { freePorts } from "../helpers/free-ports.js";
import { COLLECTION, widgets } from "../server/api-registry/widgets.js";

const boxes = boxDefinition("boxes.example.com", [versionOf("v1", { size: { type: "integer" } })]);
const box = { apiVersion: "boxes.example.com/v1", kind: "Box", metadata: { name: "one" }, spec: { size: 1 } };
const BOXES = boxesOf("boxes.example.com");

describe("a server of CustomResourceDefinitions alone, run as a program", () => {
  let api: Transport;
  let ended: Promise<number>;
  let log = "";
  const stop = new AbortController();

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    const command = serverCommand({
      name: "apiextensions-apiserver",
      description: "Serves definitions and what they define.",
      version: "v1.0.0",
      firstStage: extensionServerOptions,
      options: {},
    });
    ended = command.run([`--http-port=${port}`, "-v=1"], {
      clock: systemClock,
      cwd: "/",
      env: {},
      signal: stop.signal,
      out: () => {},
      err: (text) => void (log += text),
    });
    await eventually(() => expect(log).toContain(`Serving insecurely on 127.0.0.1:${port}`));
    api = createTransport({ server: `http://127.0.0.1:${port}`, tls: { insecureSkipVerify: false } });
  });
  afterAll(async () => {
    stop.abort();
    await ended;
    await api.close();
  });

  test("EXT-1, EXT-3: serves definitions and the kinds that they define, and no other API", async () => {
    const groups = async () =>
      ((await call(api, "GET", "/apis")).at("groups") as unknown as readonly { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await groups()).toEqual(["apiextensions.k8s.io"]);
    expect((await call(api, "GET", "/api/v1/namespaces")).status).toBe(404);
    await install(api, boxes);
    await eventually(async () => expect(await groups()).toEqual(["apiextensions.k8s.io", "boxes.example.com"]));
    expect((await call(api, "POST", BOXES, box)).status).toBe(201);
    expect((await call(api, "GET", `${BOXES}/one`)).at("spec.size")).toBe(1);
  });

  test("HOOK-3: has a post-start hook named start-apiextensions-controllers", async () => {
    expect((await call(api, "GET", "/readyz?verbose")).text).toContain(
      "[+]poststarthook/start-apiextensions-controllers ok\n",
    );
  });

  test("START-2, START-5, SHUT-5, WEB-1: logs its version, its addresses and each step of its shutdown, and exits with 0", async () => {
    stop.abort();
    expect(await ended).toBe(0);
    const lines = log
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^.*?\] /, ""))
      .filter((line) => !line.startsWith("FLAG: "));
    expect(lines.map((line) => line.replace(/:\d+$/, ":PORT"))).toEqual([
      "Version: v1.0.0",
      "MuxAndDiscoveryComplete has all endpoints registered and discovery information is complete",
      "Serving insecurely on 127.0.0.1:PORT",
      '"[graceful-termination] shutdown event" name="ShutdownInitiated"',
      '"[graceful-termination] shutdown event" name="AfterShutdownDelayDuration"',
      '"[graceful-termination] pre-shutdown hooks completed" name="PreShutdownHooksStopped"',
      '"[graceful-termination] shutdown event" name="NotAcceptingNewRequest"',
      '"[graceful-termination] shutdown event" name="InFlightRequestsDrained"',
      '"[graceful-termination] shutdown event" name="HTTPServerStoppedListening"',
      "Stopped listening on 127.0.0.1:PORT",
    ]);
  });
});

describe("a server of CustomResourceDefinitions behind another server", () => {
  let running: RunningServer;
  afterEach(() => running.close());

  test("EXT-2, CHAIN-3: is started first with its own storage, and the server in front serves its kinds too", async () => {
    const behind = await (await extensionServerOptions({ port: false }).toConfig())
      .complete()
      .newServer("apiextensions-apiserver");
    const config = await serverOptions({ port: false, resources: [widgets] }).toConfig();
    const head = await config.complete().newServer("kube-apiserver", behind);
    running = await head.prepareRun().start();
    const api = running.transport();
    expect((await call(api, "GET", COLLECTION)).status).toBe(200);
    await install(api, boxes);
    expect((await call(api, "POST", BOXES, box)).status).toBe(201);
    expect((await call(api, "GET", `${DEFINITIONS}/boxes.boxes.example.com`)).status).toBe(200);
    // The head has no such group of its own.
    expect(running.registry.current.find("boxes.example.com/v1", "boxes")).toBeUndefined();
    expect((await call(api, "GET", "/apis/nothing.example.com/v1")).text).toBe("404 page not found\n");
  });
});
