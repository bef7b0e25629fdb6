import { expect, test } from "vitest";
import { serverArguments } from "../../../src/cluster/named/server-choice.js";

test("the flags of an election and of the scheduler reach the process in the background as they were given", () => {
  expect(serverArguments({ nodes: 1 })).toEqual(["--nodes=1"]);
  expect(serverArguments({ nodes: 1, leaderElect: false, scheduler: false })).toEqual([
    "--leader-elect=false",
    "--scheduler=false",
    "--nodes=1",
  ]);
});

test("a number of nodes that was not given is left to the process in the background, which knows what the cluster had", () => {
  expect(serverArguments({})).toEqual([]);
});

test("the limit of objects reaches the process in the background, also where it is none", () => {
  expect(serverArguments({ nodes: 1, maxObjectBytes: 0 })).toEqual(["--max-object-bytes=0", "--nodes=1"]);
});

test("scripts of images and ways to this machine reach the process in the background", () => {
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
