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
