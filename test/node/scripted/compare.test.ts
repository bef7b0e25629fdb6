import { describe } from "vitest";
import { compareWithReal } from "../../helpers/against-real.js";

const FILES = {
  a: "a\nb\nc\nd\ne\n",
  b: "a\nB\nc\ne\nf\n",
  s: "a\nb",
  long: `${Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n")}\n`,
  changed: `${Array.from({ length: 30 }, (_, index) => (index === 3 || index === 20 ? `other ${index}` : `line ${index}`)).join("\n")}\nmore\n`,
  "x/f": "1\n",
  "x/only": "o\n",
  "y/f": "2\n",
  "y/d/g": "g\n",
};

describe("the scripted diff and cmp", () => {
  compareWithReal(["diff", "cmp"], FILES, [
    "diff a b; diff b a; diff a a; echo $?; diff a s; diff s a; diff a /dev/null; diff /dev/null s",
    "diff -u a b | sed 's/\\t.*//'; diff -u s a | sed 's/\\t.*//'; diff -U1 long changed | sed 's/\\t.*//'; diff -u long changed | sed 's/\\t.*//'",
    "diff --unified=0 long changed | sed 's/\\t.*//'; diff -u --label x --label y a b; diff -u a a",
    "diff -q a b; diff -s a a; diff --brief a a; diff -i a b; printf 'a  b\\n' > p; printf 'a b \\n' > q; diff -b p q; diff -w p q; diff p q",
    "printf 'a\\n\\nb\\n' > p; printf 'a\\nb\\n' > q; diff -B p q; diff p q",
    "diff x y; diff -r x y; diff -rq x y; diff -rN x y; diff x/f y; diff y x/f",
    "diff a nope; diff -N a nope; diff; diff a; diff a b s; diff -k a b; cat b | diff a -",
    "cmp a b; cmp a a; cmp -s a b; echo $?; cmp a s; cmp -l a b; cmp a nope; cmp; cmp - a < b; cmp -n 2 a b; cmp a /dev/null; cmp long changed",
  ]);
});

describe("the scripted programs for lines", () => {
  compareWithReal(["rev", "tac", "nl", "paste", "fold", "comm"], FILES, [
    "rev a s; echo 'abc def' | rev",
    "tac a; tac s; tac a s; tac nope",
    "nl a; nl -ba -w3 -s: a; printf 'x\\n\\ny\\n' | nl; printf 'x\\n\\ny\\n' | nl -b a -n rz -v 10 -i 5; nl -n ln a; nl -bn a; nl nope",
    "paste a b; paste -d, a b; paste -s a; paste -sd, a; seq 6 | paste - - -; paste -d ',;' a b a; paste -sd '\\n' s; paste a nope; paste -d '\\0' a b; seq 3 | paste -sd+",
    "fold -w 3 long | head -5; echo 'aaa bbb ccc ddd' | fold -s -w 8; fold -w x a; printf abcdef | fold -w 4; fold nope",
    "comm a b; comm -12 a b; comm -3 a b; comm -23 a b; comm b a 2>/dev/null; comm a; comm; comm --output-delimiter=, a b; comm a nope",
  ]);
});
