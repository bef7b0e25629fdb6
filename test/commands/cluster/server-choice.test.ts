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
