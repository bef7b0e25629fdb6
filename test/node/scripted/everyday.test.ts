import { describe } from "vitest";
import { compareWithReal } from "../../helpers/against-real.js";

const FILES = { f: "hello\n", "d/g": "x", big: "0123456789abcdef".repeat(20) };

describe("the scripted programs for paths", () => {
  compareWithReal(["realpath", "readlink", "dirname", "basename", "mktemp"], FILES, [
    "dirname a/b c /x/ / a//b// '' a //x",
    "dirname -z a; dirname",
    "basename /a/b.txt .txt; basename a/; basename /; basename ''; basename b b",
    "basename -a /x/y /z; basename -s .c a.c b.c; basename a b c; basename",
    "realpath --relative-to=. d/g; realpath --relative-to=d f; realpath --relative-to=d d",
    "realpath /nope/x; realpath -e nope; realpath -m /a/b/../c; realpath -q /nope/x; realpath",
    "ln -s d l; ln -s nope broken; realpath --relative-to=. l/g broken; realpath -e broken; realpath -s --relative-to=. l/g",
    "ln -s x y; ln -s y x; realpath x; readlink x; readlink -f x; readlink -v f; readlink",
    "ln -s d/g l; readlink l; readlink -n l; test $(readlink -f l) = $(pwd -P)/d/g && echo same; readlink -f /nope/x; readlink -e nope; readlink -m /nope/x",
    "which nope; which; which sh > /dev/null && echo yes; which nope sh > /dev/null || echo no",
    "x=$(mktemp) && test -f $x && stat -c %a $x && rm $x; echo $x | sed 's/[^.]*$/X/'",
    "x=$(mktemp -d) && test -d $x && stat -c %a $x && rmdir $x",
    "x=$(mktemp ./a.XXXX.txt) && ls | wc -l; echo $x | sed 's/a\\..*\\.txt/a.X.txt/'; mktemp -u q.XXX | wc -c; ls q* 2>/dev/null",
    "mktemp -p d x.XXXXX | wc -c; mktemp -d -p . x.XXXXX | wc -c; TMPDIR=d mktemp -t z.XXX | cut -c 1-4; mktemp --tmpdir=d | wc -c; mktemp --suffix=.y k.XXX | wc -c",
    "mktemp a.XX; mktemp ./nope/a.XXXX; mktemp -d nope/a.XXXX; mktemp a b; mktemp -p ./nope; mktemp -q nope/a.XXX; mktemp -t x/y.XXX; mktemp -x; mktemp aXXXb/c; mktemp --suffix",
  ]);
});

describe("the scripted base64", () => {
  compareWithReal(["base64"], FILES, [
    "base64 f; base64 big; base64 -w 0 big; base64 -w 10 big; base64 < f",
    "base64 big | base64 -d | cmp - big && echo same; printf 'YWJj\\nZGVm' | base64 --decode",
    "printf 'YWI' | base64 -d; printf 'YW-Jj' | base64 -di; printf 'YQ==YWJj' | base64 -d; printf '' | base64 | wc -c",
    "echo '!!!' | base64 -d; base64 -d nope; base64 -w x f; base64 a b; base64 -x; printf 'YWJjZ' | base64 -d",
    "printf '\\0\\377\\376' | base64 | base64 -d | od -An -tx1; printf %s admin:secret | base64 -w0",
  ]);
});

describe("the scripted programs for digests", () => {
  compareWithReal(["sha256sum", "sha512sum", "md5sum"], FILES, [
    "md5sum f; sha1sum f; sha224sum f; sha256sum f d/g; sha384sum f; sha512sum < f; sha256sum -b f",
    "sha256sum f d/g > s; sha256sum -c s; sha256sum --check --quiet s; sha256sum -c --status s; echo $?",
    "sha256sum f d/g > s; echo x > f; sha256sum -c s; sha256sum -c --quiet s; sha256sum -c --status s; echo $?; rm f; sha256sum -c s; sha256sum -c --ignore-missing s",
    "md5sum --tag f | tee s; md5sum -c s; echo junk >> s; md5sum -c s; md5sum -c --strict s; echo junk | md5sum -c; md5sum -c nope; sha256sum nope f",
    "echo \"$(sha256sum f | cut -d ' ' -f1)  f\" | sha256sum -c -; echo \"$(sha256sum < f | awk '{print $1}') *f\" | sha256sum -c",
  ]);
});

describe("the scripted expr", () => {
  compareWithReal(["expr"], FILES, [
    "expr 1 + 2; expr 2 '*' 3 - 1; expr '(' 1 + 2 ')' '*' 3; expr 7 / 2; expr -7 % 3; expr -5 + 3; expr 9999999999999999999 + 1",
    "expr abc : 'a\\(.\\)'; expr abc : 'ab'; expr abc : x; expr abc : 'x\\(.\\)'; expr v1.2.3 : 'v\\([0-9]*\\)'; expr match foo 'f.'; expr '' : ''",
    "expr length abc; expr substr hello 2 3; expr substr abc 0 1; expr index hello l; expr index abc x; expr + length",
    "expr 3 '>' 2; expr a = b; expr a '<' b; expr 10 '<' 9; expr 1 != 1; expr 0 '|' 5; expr '' '|' ''; expr '' '&' 3; expr 2 '&' 3; expr 0; expr ''",
    "expr 1 + a; expr 1 / 0; expr 1 +; expr 1 2; expr '('; expr '(' 1; expr ')'; expr; expr 0 '&' 1 / 0; expr a : '['",
  ]);
});

describe("scripted programs that run others, or print where they run", () => {
  compareWithReal(["timeout", "nohup", "printenv"], FILES, [
    "timeout 5 sh -c 'echo hi; exit 3'; echo $?; timeout 0 true; timeout 1m echo x; timeout 5 cat < f",
    "timeout 0.05 sleep 5; echo $?; timeout -s INT 0.05 sleep 5; echo $?; timeout --preserve-status 0.05 sleep 5; echo $?",
    "timeout x true; timeout 1 nosuch; timeout -s FOO 1 true; timeout -k 1 5 true; echo $?",
    { script: "timeout", firstLine: true },
    "nohup echo x; nohup; nohup nosuch; echo $?",
    "A=1 printenv A; printenv NOPE; echo $?; A=1 B=2 printenv A NOPE B; A=x env printenv A; LONG=y printenv | grep LONG",
    "tty; tty -s; echo $?; sync && echo synced; nice echo x; nproc | grep -c .",
  ]);
});
