import { expect, test } from "vitest";
import type { Invocation } from "../../../src/cli/command.js";
import type { Factory } from "../../../src/cli/connect/factory.js";
import { serverArguments } from "../../../src/cluster/named/server-choice.js";
import { serverChoiceOf, serverFlags } from "../../../src/commands/cluster/server-flags.js";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";

test("kubets cluster start passes the flags of election and scheduler to the background process as they were given", () => {
  expect(serverArguments({ nodes: 1 })).toEqual(["--nodes=1"]);
  expect(serverArguments({ nodes: 1, leaderElect: false, scheduler: false })).toEqual([
    "--leader-elect=false",
    "--scheduler=false",
    "--nodes=1",
  ]);
});

test("kubets cluster start passes no number of nodes unless the user gave one, so that the background process uses the cluster's former one", () => {
  expect(serverArguments({})).toEqual([]);
});

test("kubets cluster start passes the size limit of objects to the background process, also when there is none", () => {
  expect(serverArguments({ nodes: 1, maxObjectBytes: 0 })).toEqual(["--max-object-bytes=0", "--nodes=1"]);
});

test("kubets cluster start passes scripts of images and host addresses to the background process", () => {
  const forward = [
    { pods: "deploy/web", port: 80, to: "127.0.0.1:3000" },
    { namespace: "shop", pods: "pod/db", port: 5432, to: "[::1]:5432" },
  ];
  const choice = { imageScripts: "/home/me/scripts.yaml", forward, allowForward: ["127.0.0.1:3000-3999"] };
  expect(serverArguments(choice)).toEqual([
    "--image-scripts=/home/me/scripts.yaml",
    "--forward=deploy/web:80=127.0.0.1:3000",
    "--forward=shop/pod/db:5432=[::1]:5432",
    "--allow-forward=127.0.0.1:3000-3999",
  ]);
});

/** A value of each flag of the server. */
const VALUES: Readonly<Record<string, string>> = {
  "admission-control-config-file": "/admission.yaml",
  "allow-forward": "127.0.0.1:3000-3999",
  "authentication-config": "/authentication.yaml",
  "authorization-config": "/authorization.yaml",
  "authorization-mode": "Node,RBAC",
  controllers: "*,-garbage-collector-controller",
  "disable-admission-plugins": "Priority",
  "emulated-version": "1.36",
  "enable-admission-plugins": "AlwaysPullImages",
  forward: "deploy/web:80=127.0.0.1:3000",
  images: "strict",
  "image-scripts": "/scripts.yaml",
  "kubernetes-version": "1.37",
  "leader-elect": "false",
  "load-balancer-addresses": "172.20.255.0/24",
  "max-object-bytes": "7",
  "min-compatibility-version": "1.36",
  nodes: "3",
  "runtime-config": "api/beta=true",
  scheduler: "false",
  "server-name": "one",
  "storage-media-type": "application/vnd.kubernetes.protobuf",
  "token-auth-file": "/tokens.csv",
};

test("every flag of the server is tested in this file", () => {
  expect(serverFlags.map(({ name }) => name).toSorted()).toEqual(Object.keys(VALUES).toSorted());
});

test.each(Object.entries(VALUES))("kubets cluster start passes --%s=%s to the background process", (name, value) => {
  const { flags } = parseFlags(new FlagTable(serverFlags), [`--${name}=${value}`]);
  const choice = serverChoiceOf({ cwd: "/" } as Factory, { flags } as unknown as Invocation);
  expect(serverArguments(choice)).toContain(`--${name}=${value}`);
});
