import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type ScriptedContainer, startScripted } from "../../helpers/scripted-container.js";

/** Scripts of POSIX, which dash runs as well. */
const POSIX: readonly string[] = [
  // Functions
  `f() { echo "$# $1 $2"; }; f a "b c"; f`,
  `f() { return 3; }; f; echo $?; f || echo failed`,
  `f() { false; return; }; f; echo $?`,
  `f() { echo $1; shift; echo $# $1; set -- x y z; echo $#; }; set -- p q; f a b; echo $# $1`,
  `x=1; f() { local x=2; echo $x; g; }; g() { echo g $x; x=3; }; f; echo $x`,
  `f() { local a b=2; a=1; echo $a$b; }; f; echo "<$a$b>"`,
  `fact() { if [ $1 -le 1 ]; then echo 1; else echo $(($1 * $(fact $(($1 - 1))))); fi; }; fact 6`,
  `count() { [ $1 -eq 0 ] && return; echo $1; count $(($1 - 1)); }; count 3`,
  `f() ( cd /tmp; x=2; ); x=1; f; echo $x`,
  `f() { cat; }; echo in | f; f < /etc/passwd | head -c 4`,
  `f() { echo out; echo err >&2; } 2>&1; f | cat`,
  `f() { for i in 1 2 3; do [ $i = 2 ] && return 7; echo $i; done; }; f; echo $?`,
  `f() { echo old; }; f() { echo new; }; f; unset -f f; f 2>/dev/null; echo $?`,
  `f() { exit 4; }; f; echo never`,
  `f() { echo "$@"; }; f "$@" end; set -- "a b" c; f "$@"; f "$*"`,
  `f()\n{\n  echo on its own line\n}\nf`,
  `f() { if true; then return 5; fi; echo never; }\nif f; then echo yes; else echo no $?; fi`,
  `f() { x=$1 y=2; }; x=0 f 1; echo $x $y`,
  `A=1; f() { env | grep ^A=; }; A=2 f; echo $A`,
  `log() { printf '%s: %s\\n' "$1" "$2" >&2; }; log info hello 2>&1`,

  // Aliases
  `alias say='echo said'\nsay hello; say "a b" | cat; (say in a subshell); echo $(say in words); f() { say in f $1; }; f x`,
  `alias say='echo said'; say 2>/dev/null; echo $?`,
  `alias a='echo one; echo two'\na three\nif a; then echo yes; fi\nalias begin='{' end='}'\nbegin echo in braces; end`,
  `alias ls='ls -d'\nls /etc | cat; \\ls -d /tmp; 'ls' -d /tmp; ls=1; ls""  -d /tmp`,
  `alias s='echo ' w='word '; alias n=next\ns w n n; s x n; s; echo n w`,
  `alias x='y 1' y='x 2' z=\nx 2>/dev/null; echo $?; z echo empty; A=1 z echo behind an assignment; >f z echo out; cat f`,
  `alias say='echo said'\nalias say; alias; command -v say; command -V say; type say; unalias say; say 2>/dev/null; echo $?`,
  `alias nope 2>/dev/null; echo $?; unalias nope 2>/dev/null; echo $?; alias a=1 b="it's"; alias b; unalias -a; alias; echo none`,
  `alias p='echo by eval'\neval 'p'; x='p'; $x 2>/dev/null; echo $?; for p in p; do echo $p; done; case p in p) echo p;; esac`,
  `alias q='cat <<EOF'\nq\nin a document\nEOF\nalias c='# no' l='echo first;\necho'\nfalse\nc\necho $?; if true; then\nc\necho in; fi\nl second; echo third`,
  `alias r='echo \`r\`' g='grep b |'\nr 2>/dev/null; echo "$(printf 'a\\nb\\n')" | g cat; (unalias g); alias g`,
  `alias u='echo u'; unalias u\nu 2>/dev/null; echo $?; alias o=p\nsh -c 'o' 2>/dev/null; echo $?`,

  // Here-documents
  `cat <<EOF\nhello $((1 + 2)) \`echo sub\` $(echo "paren)") \\$HOME "quoted" 'single'\nEOF`,
  `x=val; cat <<'EOF'\nno $x \`here\` \\$ \\\\\nEOF`,
  `x=val; cat <<"EOF"\nno $x\nEOF`,
  `cat <<\\EOF\n$x\nEOF`,
  `cat <<-EOF\n\t\tindented\n\t  kept blanks\n\tEOF`,
  `cat <<A; cat <<B\na\nA\nb\nB`,
  `cat - <<A <<B\na\nA\nb\nB`,
  `f() { cat <<EOF\nin f: $1\nEOF\n}; f x; f y`,
  `cat <<EOF | wc -l\n1\n2\nEOF`,
  `while read a b; do echo "$b-$a"; done <<EOF\n1 2\n3 4\nEOF`,
  `x=$(cat <<EOF\nit's a "test" (really\nEOF\n); echo "$x"`,
  `if true; then\ncat <<EOF\ninside\nEOF\nfi; echo after`,
  `cat <<EOF\nline \\\njoined \\\\ kept\nEOF`,
  `cat <<EOF > f.txt\nto a file\nEOF\ncat f.txt`,
  `cat <<EOF && echo ok\nbody\nEOF`,
  `cat <<EOF\nEOF\necho empty`,
  `read x y <<EOF\nfirst second third\nEOF\necho "$x|$y"`,
  `x='a  b'; cat <<EOF\n$x "\${x}" \${y:-none} \${x#a}\nEOF`,
  `cat <<EOF\n~ * ?\nEOF`,

  // Parameters
  `x=abc.tar.gz; echo \${x%.*} \${x%%.*} \${x#*.} \${x##*.} \${#x}`,
  `echo "\${a:-x y}" \${a-d} \${a:=set} $a \${a:+alt} "\${b+never}|"`,
  `a=; echo "\${a:-empty}" "\${a-unset}" "\${a:+x}" "\${a+x}"`,
  `for w in \${x:-a "b c" d}; do echo "<$w>"; done`,
  `for w in "\${x:-a "b c" d}"; do echo "<$w>"; done`,
  `echo "\${x:-it's}" "\${x:-'q'}" \${x:-'q q'}`,
  `set -- a "b c"; for w in \${1+"$@"}; do echo "<$w>"; done; set --; for w in \${1+"$@"}; do echo never; done`,
  `set --; for w in "$@"; do echo never; done; for w in "" "$@"; do echo "<$w>"; done`,
  `set -- a b; for w in "x$@y"; do echo "<$w>"; done; for w in "$*"; do echo "<$w>"; done`,
  `set -- 1 2 3 4 5 6 7 8 9 ten; echo \${10} $10 $#`,
  `x='*'; echo "$x" '*' \\*`,
  `echo \${x:?is missing}; echo never`,
  `x=a; unset x; echo "<$x>" \${x-unset}`,
  `HOME=/h; echo ~ ~/x "~" x~`,
  `x="a b"; y=$x; echo "$y"; z="$x c" ; echo "$z"`,
  `x=5; x=$x$x y=$x; echo $x $y`,
  `f=/a/b/c.txt; echo "\${f##*/}" "\${f%/*}"; d=\${f%/*}; echo \${d##*/}`,
  `x='a\\b'; echo "\${x#a\\\\}" "\${x%\\\\b}"`,
  `p='b*'; x=abc; echo \${x%$p} \${x%"$p"}`,
  `readonly r=1; echo $r; (r=2; echo never) 2>/dev/null; echo $?`,
  `x=1; (x=2; echo $x); echo $x`,
  `echo $((x = 5)) $x $((x += 2)) $x`,

  // Splitting
  `IFS=:; x=a:b::c; for w in $x; do echo "<$w>"; done`,
  `IFS=,; set -- a b c; echo "$*"; unset IFS; echo "$*"`,
  `IFS=; x="a b"; for w in $x; do echo "<$w>"; done; set -- a b; echo "$*"`,
  `IFS=' :'; x=' a : b::c '; for w in $x; do echo "<$w>"; done`,
  `x='a:b'; IFS=: read p q <<E\n$x\nE\necho $p $q; x="c d"; set -- $x; echo $#`,
  `echo "a:b:c" | { IFS=: read x y; echo "$x|$y"; }`,
  `printf ' a  b \\n' | { read x; echo "<$x>"; }`,
  `printf ' a  b \\n' | { IFS= read -r x; echo "<$x>"; }`,
  `printf 'a\\\\b\\\\nc\\n' | { read x; echo "<$x>"; }`,
  `printf 'a\\\\b\\n' | { read -r x; echo "<$x>"; }`,
  `printf 'a \\\\\\nb\\n' | { read x y; echo "<$x|$y>"; }`,
  `printf 'a,b,\\n' | { IFS=, read x y; echo "<$x|$y>"; }`,
  `printf 'a,b,,\\n' | { IFS=, read x y; echo "<$x|$y>"; }`,
  `printf 'no newline' | { read x; echo "$? <$x>"; }`,
  `printf 'l1\\nl2\\nl3' | while read -r l || [ -n "$l" ]; do echo "[$l]"; done`,

  // Conditions and loops
  `i=0; until [ $i -ge 3 ]; do i=$((i + 1)); echo $i; done`,
  `for i in a b; do for j in 1 2; do [ $j = 2 ] && continue 2; echo $i$j; done; done`,
  `for i in 1 2 3; do for j in 1 2; do break 2; done; done; echo $i$j`,
  `for i; do echo never; done; set -- a b; for i; do echo $i; done; for i do echo $i; done`,
  `case a.txt in *.md) echo md;; *.txt|*.text) echo text;; esac`,
  `case "$x" in "") echo empty;; esac; case x in (x) echo paren;; esac`,
  `case abc in a*) echo one; echo two;; *) echo no;; esac; case z in a) ;; esac; echo $?`,
  `x='*'; case '*' in "$x") echo literal;; esac; case b in [!a-c]) echo no;; [[:alpha:]]) echo alpha;; esac`,
  `if [ -f /etc/passwd ] && ! [ -d /etc/passwd ]; then echo file; fi`,
  `[ a = a -a b = b ] && echo and; [ a = b -o b = b ] && echo or; [ ! a = b ] && echo not`,
  `[ "" ] || echo empty; [ x ] && echo set; [ -n "" ] || echo n; [ -z "" ] && echo z`,
  `[ 2 -gt 1 ] && [ 2 -ge 2 ] && [ 1 -lt 2 ] && [ 1 -ne 2 ] && echo numbers`,
  `while :; do echo once; break; done; echo $?`,
  `false || true && echo both; true || echo never && echo last`,
  `! false && echo inverted; ! true || echo never2; echo $?`,
  `cd /nope-at-all 2>/dev/null; echo $?; { cd /nope-at-all; } 2>/dev/null || echo no; [ 1 -eq x ] 2>/dev/null; echo $?`,
  `set -e; x=$(false; echo never) || echo inherited; echo "$(false; echo never)"; echo end`,
  `(sleep 0.01; x=late; echo $x) & wait; ( (sleep 0.01; x=orphan; echo $x > f) & ); until [ -s f ]; do sleep 0.01; done; cat f`,
  `true & wait $!; echo $?; false & wait $! || echo failed`,
  `(exit 5) & p=$!; wait $p; echo $?; { sleep 0.01; exit 6; } & wait $!; echo $?`,
  `{ echo a; echo b; } | { read x; echo "first $x"; cat; }`,
  `( echo sub; exit 3 ); echo $?`,

  // Options
  `set -e; f() { false; echo kept; }; f || echo tested; if f; then echo if; fi; f; echo never`,
  `set -e; ! true; echo inverted; false && true; echo listed; x=$(false) || echo assigned; x=$(false); echo never`,
  `set -e; while false; do :; done; until true; do :; done; (false; echo never); echo never`,
  `set -e; false | true; echo piped; true | false; echo never`,
  `set -e; eval false || echo evaluated; { false; true; } || echo group; { false; echo never; }`,
  `set -u; echo "\${x:-default}" "\${x-}"; x=1; echo $x; echo $y; echo never`,
  `set -u; echo $#; echo "$@" "$*"; echo \${#x}`,
  `set -f; echo /*; set +f; cd /; echo etc/pass[w]d`,
  `set -a; V=1; set +a; W=2; env | grep '^[VW]='`,
  `set -C; echo a > f1; echo b > f1; cat f1; echo c >| f1; cat f1`,
  `set -- -a b; echo $1; set - x; echo $1 $#; set x y; echo $2`,
  `echo $-; set -eu; case $- in *e*u*|*u*e*) echo both;; esac`,

  // Builtins
  `eval 'x=1; y="a b"'; echo $x "$y"; eval "echo \\$x"; eval; echo $?`,
  `printf 'a=1\\nf() { echo from $1; }\\n' > lib; . ./lib; echo $a; f here`,
  `printf 'return 4\\necho never\\n' > lib; . ./lib; echo $?`,
  `trap 'echo bye $?' EXIT; echo hi; exit 3`,
  `trap 'echo one' EXIT; trap - EXIT; echo done`,
  `trap 'echo term' TERM; kill -TERM $$; echo after`,
  `trap '' TERM; kill -TERM $$; echo ignored; trap; trap - TERM`,
  `(trap 'echo sub' EXIT; echo in); echo out`,
  `f() { trap 'echo f' EXIT; }; f; echo end`,
  `while getopts ab:c o; do echo "$o \${OPTARG-none} $OPTIND"; done; echo $OPTIND`,
  `set -- -a -b val -cd rest; while getopts ab:c o; do echo "$o \${OPTARG-none}"; done; shift $((OPTIND - 1)); echo "$*"`,
  `set -- -b; while getopts :ab: o; do echo "$o $OPTARG"; done; set -- -x; OPTIND=1; getopts :ab: o; echo "$o $OPTARG"`,
  `set -- -ab one -- -c; while getopts ab:c o; do echo "$o"; done; shift $((OPTIND - 1)); echo "$@"`,
  `sleep 5 & p=$!; kill $p; wait $p; echo $?`,
  `sleep 5 & kill -0 $! && echo alive; kill -9 $!; wait $! 2>/dev/null; echo $?`,
  `(while :; do :; done) & p=$!; kill $p; wait $p; echo $?`,
  `(trap 'exit 9' TERM; : > up; while :; do sleep 0.01; done) & p=$!; until [ -e up ]; do sleep 0.01; done; kill $p; wait $p; echo $?`,
  `command -v echo; command -v f; f() { :; }; command -v f; command -v nope || echo none; command -v if`,
  `type echo; type nope >/dev/null 2>&1; echo $?`,
  `echo() { printf 'mine\\n'; }; echo a; command echo b`,
  `umask 077; umask; umask 22; umask`,
  `{ echo a >/dev/stderr; echo b >/dev/stdout; echo c 3>&1 >/dev/fd/3; } 2>&1 | cat; echo in | { read x </dev/stdin; echo $x; }`,
  `exec 3>&1; echo three >&3; exec 3>&-; echo four`,
  `exec 3>f; echo a >&3; echo b >&3; exec 3>&-; cat f`,
  `printf '1\\n2\\n' > f; exec 3<f; read a <&3; read b <&3; echo $a$b`,
  `exec > f; echo captured; exec >&2; cat f 2>/dev/null; cat f`,
  `exec 2>&1; ls /nope-at-all >/dev/null; echo to err >&2`,
  `{ echo out; echo err >&2; } 2>/dev/null; { echo err2 >&2; } 2>&1`,
  `echo a 1>&2 2>/dev/null; (echo x >&2) 2>&1`,
  `echo x >f 2>&1; cat <f; cat f - </dev/null`,
  `read x < /dev/null; echo $?; : > e; read y < e; echo "$?<$y>"`,
  `exec true; echo never`,
  `(exec echo replaced; echo never); echo after`,
  `cd /tmp && cd / && cd - && pwd`,
  `x=$(printf 'a\\n\\n\\n'); echo "<$x>"; y=\`echo \\\`echo nested\\\`\`; echo $y`,
  `echo $(echo $(echo deep)) "$(echo "quoted $(echo "twice")")"`,
  `x=$(case a in a) echo matched;; esac); echo $x`,
  `x=$(# a comment with )\necho commented); echo $x`,
  `shift 2>/dev/null; set -- a b c; shift 2; echo $1 $#`,
  `printf '%s %d %05d %x %o %c|%5s|%-5s|%.2s\\n' s 42 42 255 8 xyz r l abc`,
  `printf '%s-' a b c; printf '\\n%%\\t|\\n'; printf '%b\\n' 'a\\tb'; printf 'x\\n' extra`,
  `printf '%d %i %u\\n' 0x10 010 7; printf '%e %.2f %g\\n' 1.5 2.345 0.0001; printf '%*d|\\n' 5 42`,
  `test -e /etc/passwd -a -r /etc/passwd; echo $?; test; echo $?; test a = b; echo $?`,
  `true; x=$(exit 3); echo $?; x=1; echo $?`,
  `x=1 eval 'echo $x'; A=b sh -c 'echo $A'; sh -c 'echo $0 $1' zero one`,
  `export E=1; sh -c 'echo $E'; unset E; sh -c 'echo "<$E>"'; F=2; export F; sh -c 'echo $F'`,
  `echo a; # comment\n# another\necho b # end\necho c#d`,
  `echo a \\\n  b; ec\\\nho joined`,
  `if true\nthen\n  echo yes\nfi\nfor i in 1 \\\n  2\ndo echo $i\ndone`,
  `echo $((1 + 2 * 3)) $(((1 + 2) * 3)) $((7 / 2)) $((-7 / 2)) $((7 % 3)) $((-7 % 3))`,
  `echo $((1 << 4)) $((255 >> 2)) $((6 & 3)) $((6 | 3)) $((6 ^ 3)) $((~5)) $((!0)) $((!7))`,
  `echo $((3 > 2 && 2 > 1)) $((0 || 0)) $((1 ? 10 : 20)) $((0 ? 10 : 20)) $((2 == 2)) $((2 != 2))`,
  `x=3; echo $((x * 2)) $(($x * 2)) $((x > 2 ? x : 0)); echo $((0x1f)) $((010))`,
  `x=5; echo $((x += 3)) $((x -= 1)) $((x *= 2)) $((x /= 3)) $((x %= 3)) $x`,
  `echo $((9223372036854775807 + 1)) $((- 3 - - 3))`,
  `exit`,
  `false; exit`,
  `exit 256`,
  `echo one; echo (; echo never`,
  `echo start\nif true; then\necho mid`,
  `nope-at-all; echo $?; nope-at-all || echo or`,
  `: \${v:=default}; echo $v; : "$(echo ignored)"; :`,
  `a=1 b=2; echo $a$b; c= d=4; echo "<$c>$d"`,
  `echo "tab\\there" 'a\\nb'; echo -n no newline; echo`,
  `x="line1\nline2"; echo "$x"; echo $x`,
  `echo "\\$x \\" \\\\ \\a \\\`"; echo 'it'"'"'s'`,
  `echo a{b,c} {1..3}`,
  `[ -t 0 ] || echo no terminal; [ -s /etc/passwd ] && echo size; [ -x /bin/sh ] && echo executable`,
];

/** Scripts that need bash. */
const BASH: readonly string[] = [
  `set -e; x=$(false; echo went on); echo $x; shopt -s inherit_errexit; echo "<$(false; echo never)>"; false | true; echo "\${PIPESTATUS[0]}"; true; echo "\${PIPESTATUS[@]}"`,
  `arr=($(echo a b c)); unset "arr[0]"; echo "\${arr[@]}" "\${!arr[@]}"; cmd=(echo "a b"); cmd+=("d e"); "\${cmd[@]}" | cat; echo "\${arr[@]/#/--}" "\${arr[@]^^}"`,
  `f() { for a in "$@"; do shift; case $a in -*) echo opt $a;; *) set -- "$@" "$a";; esac; done; echo "$@"; }; f -a x -b y; g() if true; then echo compound; fi; g`,
  `LIST=a,b; for x in \${LIST//,/ }; do echo $x; done; h=web-3; [[ $h =~ -([0-9]+)$ ]] && echo \${BASH_REMATCH[1]}; x=TRUE; [ "\${x,,}" = true ] && echo lower; echo $((10#08 + 1))`,
  `echo "$(cat <<'Q'\nit's "quoted" $x )\nQ\n)"; _t() { echo caught; kill "$child"; }; trap _t TERM; sleep 5 & child=$!; kill -TERM $$; wait $child; echo $?`,
  `while read -r l; do n=$((n + 1)); last=$l; done < <(printf 'a\\nb\\n'); echo $n $last; mapfile -t x < <(echo one; echo two); echo \${x[1]}; read -r y < <(yes); echo $y`,
  // Process substitution
  `echo hi | cat <(cat); echo <(true) >(true) --f=<(true) "<(no)" '<(no)'; echo <(true)`,
  `diff <(printf 'b\\na\\n' | sort) <(printf 'a\\nc\\n' | sort); echo $?; comm -12 <(printf 'a\\nb\\n') <(printf 'b\\nc\\n'); paste <(echo a) <(echo b) <(echo c)`,
  `while read -r k v; do echo "$v-$k"; done < <(printf '1 a\\n2 b\\n'); wc -l < <(echo 1; echo 2); cat < <(cat <(echo deep)) <(echo other)`,
  `f() { cat "$1"; cat < "$2"; }; f <(echo first) <(echo second); for i in <(echo 1) <(echo 2); do cat $i; done`,
  `x=<(echo gone); cat $x 2>/dev/null; echo $?; cat <(exit 3); echo $?; cat <(exit 3) >/dev/null; wait $!; echo $?`,
  `echo abc | tee >(tr a-z A-Z >up) >(cat >same) >/dev/null; while [ ! -s up ] || [ ! -s same ]; do sleep 0.01; done; cat up same`,
  `echo x > >(cat); wait; exec 3> >(sed s/^/3:/); echo y >&3; exec 3>&-; wait; echo $?; { echo a; echo b >&2; } > >(cat >out) 2>&1; wait; cat out`,
  `exec > >(sed s/^/log:/) 2>&1; echo out; echo err >&2; (echo in a subshell)`,
  `v=0; source <(echo "v=1; w=2"); echo $v $w; . <(echo 'echo dot $1') arg; bash <(echo 'echo script $# $1') a b; bash < <(echo 'echo piped')`,
  `[[ -r <(true) ]] && echo r; [ -e <(true) ] && echo e; [ -f <(true) ] || echo no file; case <(true) in /dev/fd/*) echo path;; esac`,
  `head -n 2 <(yes); head -c 3 <(cat /dev/zero) | wc -c; grep -c b <(printf 'a\\nb\\nb\\n'); sort -m <(echo a) <(echo b); awk '{ print $1 }' <(echo first second)`,
  `set -euo pipefail; mapfile -t a < <(printf 'x y\\nz\\n'); echo "\${#a[@]} \${a[0]}"; cat <(false; echo never); echo $(cat <(echo in) <(echo words)); (cat <(echo in a subshell))`,
  `a=1; cat <(a=2; echo $a) <(echo $a); echo $a; cat <(echo one\necho two # )\n) <(cat <<X\nhere )\nX\n)`,
  // Coprocesses, and descriptors that variables name
  `coproc cat; echo hi >&\${COPROC[1]}; read x <&\${COPROC[0]}; echo $x \${COPROC[@]}; [ -n "$COPROC_PID" ] && echo pid`,
  `coproc UP { while read -r l; do echo "\${l^^}"; done; }; for w in one two; do echo $w >&"\${UP[1]}"; read -r a <&"\${UP[0]}"; echo $a; done; p=$UP_PID; eval "exec \${UP[1]}>&-"; wait $p; echo $?`,
  `coproc S (sort); printf 'b\\na\\n' >&\${S[1]}; r=\${S[0]}; exec {S[1]}>&-; cat <&$r`,
  `coproc N { read -r z; echo "got $z"; exit 3; }; p=$N_PID r=\${N[0]}; echo >&\${N[1]} word; read -r -u $r y; echo $y; wait $p; echo $?`,
  `coproc while read -r l; do echo "<$l>"; done; echo a >&\${COPROC[1]}; read -r x <&\${COPROC[0]}; echo "$x"; coproc=1; echo coproc $coproc`,
  `exec {out}>file {in}</etc/passwd; echo "$out $in"; echo text >&$out; exec {out}>&-; cat file; read -r -n 4 x <&$in; echo $x; echo {a}b {c}`,
  `my-func() { echo dashed; }; my-func; my.func() { echo dotted; }; my.func`,
  `function f { echo "f $1"; }; f a; function g() { echo g; }; g`,
  `[[ abc == a* ]] && echo match; [[ abc == "a*" ]] || echo literal; [[ abc != x* ]] && echo differs; [[ abc = abc ]] && echo same`,
  `x="a b"; [[ $x == "a b" ]] && echo unsplit; [[ -z $y ]] && echo empty; [[ -n $x ]] && echo set; [[ $x ]] && echo bare; [[ $y ]] || echo unset`,
  `[[ -f /etc/passwd && -d /etc && ! -e /nope ]] && echo files; [[ ( a == b || b == b ) && c == c ]] && echo grouped`,
  `[[ v1.22.3-rc == ^v ]] || echo plain; [[ v1.22.3 =~ ^v([0-9]+)\\.([0-9]+) ]] && echo "\${BASH_REMATCH[0]} \${BASH_REMATCH[1]} \${BASH_REMATCH[2]}"`,
  `re='^[a-z]+$'; [[ abc =~ $re ]] && echo yes; [[ ab1 =~ $re ]] || echo no; [[ 'a.c' =~ a"."c ]] && echo dot; [[ abc =~ a"."c ]] || echo quoted`,
  `[[ foo =~ (o|x)+ ]] && echo "\${BASH_REMATCH[0]}"; [[ a =~ ^(a|b)$ ]] && echo alt; [[ ab12 =~ [[:digit:]]+ ]] && echo "\${BASH_REMATCH[@]}"`,
  `[[ 10 -gt 9 ]] && echo number; [[ a < b ]] && echo before; [[ b > a ]] && echo after; x=3; [[ x -eq 3 ]] && echo named`,
  `[[ a == b ]]; echo $?; [[ a == a\n&& b == b ]] && echo lines; if [[ ! a == b ]]; then echo not; fi`,
  `[ -v HOME ] && echo set; [ ! -v HOME ] || echo not; test -v nope; echo $?; a=(x); [ -v a[0] ] && [ -v a[1] ] || echo element`,
  `[[ -v HOME ]] && echo v; unset nope; [[ -v nope ]] || echo nv; set -o pipefail; [[ -o pipefail ]] && echo o`,
  `set -euo pipefail; false | true || echo pipe $?; true | true; echo ok; false | cat; echo never`,
  `set -o pipefail; (exit 3) | (exit 4) | true; echo $?; true | false | true; echo "\${PIPESTATUS[@]}"`,
  `set -u; echo "\${x:-d}"; a=(); echo "\${#a[@]}" "\${a[@]}"; echo end`,
  `x=hello; echo \${x^} \${x^^} \${x:1:3} \${x: -3} \${x:2} \${x:1:-1}; y=WORLD; echo \${y,} \${y,,}`,
  `x=a.b.c; echo \${x//./-} \${x/./-} \${x/#a/z} \${x/%c/z} \${x//[ac]} \${x//b*/y} \${x/nope/y}`,
  `x=/a/b/c; echo "\${x//\\//:}" "\${x/\\//}"; p=b; r='[&]'; echo "\${x/$p/"$r"}"; e=; echo "<\${e//a/b}>"`,
  `n=x; x=val; echo \${!n}; m=a[1]; a=(p q); echo \${!m}; f() { echo "\${!1}"; }; f x`,
  `a=(x "y z" w); echo \${a[0]} "\${a[1]}" \${#a[@]} \${a[@]} "\${a[*]}" $a; for e in "\${a[@]}"; do echo "<$e>"; done`,
  `a=(1 2); a+=(3 4); a[6]=7; echo "\${a[@]}" "\${!a[@]}" \${#a[@]}; unset 'a[1]'; echo "\${a[@]}"; echo \${a[-1]}`,
  `a=(a b c d); echo "\${a[@]:1:2}" "\${a[@]: -1}" "\${a[@]/b/X}" "\${a[@]#a}"; set -- p q r; echo "\${@:2}" "\${@:1:1}" \${*:2:1}`,
  `declare -A m; m[k]=v; m["a b"]=c; echo "\${m[k]}" "\${m[a b]}" \${#m[@]}; declare -A n=([x]=1 [y]=2); echo "\${n[x]}\${n[y]}"; for k in "\${!m[@]}"; do echo "$k=\${m[$k]}"; done | grep -c =`,
  `a=(); for e in "\${a[@]}"; do echo never; done; a[0]=z; echo \${#a} \${#a[0]}; a=([2]=c [0]=a); echo "\${a[@]}"`,
  `f() { local -a arr=("$@"); local -r c=5; local n=\${#arr[@]}; echo $n $c "\${arr[1]}"; }; f a "b c"; echo "<\${arr[*]}>"`,
  `read -r -a w <<< "one two  three"; echo \${#w[@]} \${w[2]}; read -r x y <<< "a b c"; echo "$x|$y"; cat <<< "here $x"`,
  `IFS=, read -ra parts <<< "a,b,,c"; echo "\${#parts[@]}:\${parts[2]}:\${parts[3]}"; IFS=. read -r a b c <<< 1.2.3; echo $a-$b-$c`,
  `mapfile -t lines <<< $'l1\\nl2'; echo \${#lines[@]} \${lines[1]}; printf 'a:b:' | { mapfile -d : x; echo "\${x[*]}" \${#x[@]}; }`,
  `for ((i = 0; i < 3; i++)); do echo $i; done; for ((;;)); do break; done; for ((i=0,j=5; i<j; i+=2, j--)); do echo $i $j; done`,
  `((x = 3, y = x * 2)); echo $x $y $?; ((x > 5)); echo $?; ((x++)); echo $x; if ((x == 4)); then echo four; fi; ((x--, --x)); echo $x`,
  `echo $((2 ** 10)) $((16#ff)) $((2#101)) $((1, 2)); let z=4+4; echo $z; let "z += 2"; echo $z; x=y; y=7; echo $((x))`,
  `a=(5 6); echo $((a[0] + a[1])) $((a[1]++)) \${a[1]}; i=1; echo $((a[i])) \${a[i]} \${a[$i]} \${a[i-1]}`,
  `case b in a) echo a;; b) echo b;& c) echo fell;; d) echo never;; esac; case ab in a*) echo one;;& *b) echo two;;& x) echo never;; esac`,
  `printf -v x '%03d' 7; echo $x; printf '%q\\n' "a b"; printf '%s\\n' {a,b}{1,2} x{1..3}y {c..a} {01..03} {1..10..4}`,
  `echo {a,b,} "{a,b}" {a} {} a{,b}c; for i in {1..3}; do echo $i; done; x={a,b}; echo $x`,
  `echo $'tab\\tnl\\nq\\'s \\x41 \\101 \\u00e9'; echo "a\\tb"; echo -e "a\\tb\\\\n"; echo -ne 'x\\n'; echo -E 'a\\n'`,
  `echo out; echo err >&2 |& cat; { echo o; echo e >&2; } |& cat; { echo o2; echo e2 >&2; } &> f; cat f; echo more &>> f; cat f`,
  `f() { echo "\${FUNCNAME[0]}"; g; }; g() { echo "\${FUNCNAME[0]} \${FUNCNAME[1]}"; }; f`,
  `f() { return 2; }; trap 'echo trapped' ERR; f || true; false; echo on`,
  `type -t echo; type -t if; type -t nope; f() { :; }; type -t f; type -P sh >/dev/null && echo path`,
  `source /dev/null; echo 'v=1; echo "args $@"' > lib; source ./lib a b; echo $v $#`,
  `x=5; x+=3; echo $x; s=a; s+=b; echo $s; unset x; echo "\${x-none}"; x=(a); x+=b; echo "\${x[0]}"`,
  `declare x=1; declare -r y=2; declare -x Z=3; sh -c 'echo $Z'; f() { declare l=4; declare -g gl=5; }; f; echo "<$l>$gl"; typeset t=6; echo $t`,
  `f() { local IFS=,; echo "$*"; }; f a b; set -- x y; echo "$*"; x=$(f c d); echo $x`,
  `wait -n 2>/dev/null; (exit 4) & wait -n; echo $?; sleep 0.01 & p=$!; wait $p; echo $?; jobs; disown 2>/dev/null; echo end`,
  `x=$(< /etc/hostname); [[ -n $x ]] && echo read; exec 3<<< "from string"; read -r l <&3; echo $l`,
  `if [ "$BASH_VERSION" ]; then echo bash; fi; echo $((RANDOM >= 0)) $((SECONDS < 5)) \${#LINENO}`,
  `shopt -s nullglob; for f in /no/such/*; do echo never; done; shopt -u nullglob; echo /no/such/*`,
  `set -- a b c; echo "\${@: -1}" "\${!#}" "\${@:$#}"; args=("$@"); echo "\${args[@]:0:2}"; set -- "\${args[@]:1}"; echo $1`,
  `readonly -a L=(1 2); echo \${L[1]}; declare -p L; declare -A M=([a]=1); declare -p M; v=x; declare -p v`,
  `while IFS='=' read -r k v; do echo "$k->$v"; done <<< $'a=1\\nb=2=3'`,
  `until [[ $((n++)) -ge 2 ]]; do echo $n; done; while ((n-- > 0)); do echo $n; done`,
  `f() { [[ $1 == -* ]] && return 1; echo "arg $1"; }; f a; f -b || echo option; if f c && ! f -d; then echo both; fi`,
  `if [ "\${1:0:1}" = '-' ]; then echo dash; fi; set -- postgres -c x; if [ "\${1#-}" != "$1" ] || [ "\${1%.conf}" != "$1" ]; then echo conf; fi; [[ $1 == postgres ]] && echo pg`,
  `var=FILE_X; export FILE_X=1; def=d; val="$def"; if [ "\${!var:-}" ]; then val="\${!var}"; elif [ "\${fileVar:-}" ]; then val=f; fi; echo $val; export "$var"="$val"; unset "\${var}_FILE"; echo $FILE_X`,
  `pre_a=1 pre_b=2; echo "\${!pre_@}"`,
  `test "$(printf '%s\\n' a b | head -n 1)" == a && echo eq; [ a == a ] && echo eq2; [ a \\< b ] && echo lt`,
  `alias a='echo a'\na 2>/dev/null; echo $?; type -t a; shopt -s expand_aliases\na; type a; type -t a; command -v a; alias; shopt -u expand_aliases\na 2>/dev/null || echo off`,
  `select x in a "b c" d; do echo "<$x> $REPLY"; done <<< $'\\n2\\nx\\n\\n 3 \\n99\\n+1\\n-1' 2>&1; echo $?`,
  `select x in; do :; done; echo $?; set -- p q; PS3='which? '; select y; do echo $y; break; done <<< 2 2>&1; echo $? $y`,
  `select x in $(seq 1 30); do break; done <<< 1 2>&1; COLUMNS=30; select x in one two three four five six seven; do break; done <<< 7 2>&1; echo $x`,
  `COLUMNS=20; select x in äö 世界 c; do break; done <<< 2 2>&1; select x in a b; do echo $x; false; REPLY=; done <<< $'1\\n2' 2>&1; select x in a b; do select y in c d; do break 2; done; done <<< $'1\\n1' 2>&1; echo $x $y`,
  `f() { local x; select x in "$@"; do case $x in quit) return 3;; *) echo "got $x";; esac; done; }; f one quit <<< $'1\\n2' 2>&1; echo $?`,
  `coproc_x=1; time_x=2; echo $coproc_x$time_x; select_x=3; echo $select_x; function_x=4; echo $function_x`,
  `a="x"; b="\${a}y\${a}"; echo "\${b}" "\${b//x/\${a}\${a}}"; c='$a'; echo "$c" '\${a}'`,
  `f() { while [ $# -gt 0 ]; do case "$1" in -n|--name) name="$2"; shift 2;; --name=*) name="\${1#*=}"; shift;; *) break;; esac; done; echo "$name $*"; }; f -n a rest; f --name=b c d`,
  `retry() { local n=0; until "$@"; do n=$((n+1)); [[ $n -ge 3 ]] && return 1; done; }; retry false; echo $?; retry true; echo $?`,
];

/** Scripts whose trace on stderr is that of dash or of bash. */
const TRACED: readonly (readonly [shell: "sh" | "bash", script: string])[] = [
  ["sh", `set -x; echo a "b c" '$x'; x=1; y="a b" z=2; [ $x = 1 ] && echo yes`],
  ["sh", `set -x; f() { echo in $1; }; f 'q r'; for i in 1 2; do echo $i; done; set +x; echo quiet`],
  ["sh", `set -x; A=1 true; echo "it's" ''; PS4='> '; echo c`],
  ["sh", `set -ex; true; false; echo never`],
  ["sh", `set -x; x=$(echo sub); echo $x`],
  ["bash", `set -x; echo a "b c" '$x'; x=1; y="a b" z=; [ $x = 1 ] && echo yes`],
  ["bash", `set -euxo pipefail; A=1 true; x=$(echo "$(echo sub)"); f() { local v=1; echo $v; }; f`],
];

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

const hasShell = (shell: string): boolean => {
  const isThere = spawnSync(shell, ["-c", ":"]).status === 0;
  if (!isThere) process.stdout.write(`scripts are not compared with ${shell}: there is none on PATH\n`);
  return isThere;
};

/** What a shell of this machine makes of scripts, each in a folder of its own. One process runs all of them. */
function real(judge: string, name: string, scripts: readonly string[]): readonly Result[] {
  const folder = mkdtempSync(join(tmpdir(), "kubets-shell-"));
  try {
    for (const [index, script] of scripts.entries()) {
      mkdirSync(join(folder, String(index), "work"), { recursive: true });
      writeFileSync(join(folder, String(index), "script"), script);
    }
    const run = `"$0" -c "$(cat ../script)" "$1" >../out 2>../err </dev/null; echo $? >../code`;
    const driver = `for folder in */work; do (cd "$folder" && { ${run}; }); done`;
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/root", LC_ALL: "C.UTF-8" };
    spawnSync("sh", ["-c", driver, judge, name], { cwd: folder, env });
    const read = (index: number, file: string): string => readFileSync(join(folder, String(index), file), "utf8");
    return scripts.map((_, index) => ({
      stdout: read(index, "out"),
      stderr: read(index, "err"),
      code: Number(read(index, "code")),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const IMAGE = {
  files: { "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n" },
  workingDir: "/work",
  env: { LC_ALL: "C.UTF-8" },
};

describe.each([
  ["sh", "dash", POSIX],
  ["bash", "bash", BASH],
] as const)("our shell called %s prints and exits as this machine's %s", (name, judge, scripts) => {
  const isThere = hasShell(judge);
  let container: ScriptedContainer;
  let expected: readonly Result[];

  beforeAll(async () => {
    container = await startScripted(IMAGE);
    expected = isThere ? real(judge, name, scripts) : [];
  });

  test.skipIf(!isThere).each(scripts.map((script, index) => [script, index] as const))(
    "for the script %s",
    async (script, index) => {
      const inFolder = `mkdir /work/${index}; cd /work/${index}\n${script}`;
      const { stdout, code, stderr } = await container.exec([name, "-c", inFolder, name]);
      expect({ stdout, code }, stderr).toEqual({ stdout: expected[index]?.stdout, code: expected[index]?.code });
    },
  );
});

describe("our shell's set -x prints the trace of this machine's shell", () => {
  test.each(TRACED)("as %s: %s", async (name, script) => {
    const judge = name === "sh" ? "dash" : name;
    if (!hasShell(judge)) return;
    const { exec } = await startScripted(IMAGE);
    expect(await exec([name, "-c", script, name])).toEqual(real(judge, name, [script])[0]);
  });
});
