import { describe } from "vitest";
import { compareWithReal } from "../../helpers/against-real.js";

const FILES = { a: "hello, world\nthis is\ta text of some length\n", z: `${"\0".repeat(80)}x` };

describe("the scripted od", () => {
  compareWithReal(["od"], FILES, [
    "od a",
    "od -c a",
    "od -An -tx1 a",
    "od -A x -t x1z -v a",
    "od -An -N4 -tu4 a",
    "od -vAn -N2 -tu2 < a",
    "od -A d -j 3 -N 10 -a a",
    "od -b a; od -x a; od -d a; od -i a; od -l a; od -s a; od -o a",
    "od -tx1 -c a",
    "od -t x1 -t u2 -t d4 a",
    "od -w8 -tx1 a",
    "od z; od -v z | tail -2",
    "printf '\\377\\200' | od -An -td1 -to1 -tx2",
    "od nope",
    "od -t q a",
    "od -A q a",
    "od -j 100 a",
    "od -x -N 0 a",
  ]);
});
