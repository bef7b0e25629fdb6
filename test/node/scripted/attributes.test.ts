import { describe, expect, test } from "vitest";
import { compareWithReal } from "../../helpers/against-real.js";
import { startScripted } from "../../helpers/scripted-container.js";

const FILES = { f: "hello\n", "d/g": "x", big: "0123456789abcdef\n".repeat(5000) };

describe("the scripted chmod, chown and truncate", () => {
  compareWithReal(["chmod", "chown", "truncate"], FILES, [
    "chmod 600 f; stat -c %a f; chmod u+x,g+w f; stat -c %a f; chmod -x f; stat -c %a f; chmod a=rw f; stat -c %a f; chmod u=rwx,go= f; stat -c %a f; chmod g=u f; stat -c %a f; chmod +x f; stat -c %a f",
    "chmod -R 700 d; stat -c %a d d/g; chmod -R u=rwX,go=rX d; stat -c %a d d/g; chmod +t d; stat -c %a d; chmod 0755 d; stat -c %a d; chmod g+s d; stat -c %a d",
    "chmod; chmod 755; chmod 9 f; chmod a+q f; chmod 755 nope f; chmod -R 700 nope; chmod -f 700 nope; echo $?",
    "chown root f && chown 0:0 f d && chown -R root:root d && chown :0 f && echo ok; chown; chown a; chown nosuchuser f; chown root:nosuchgroup f; chown 0 nope; chgrp root f; chgrp nosuchgroup f; chgrp x",
    "truncate -s 3 f; cat f; truncate -s 5 f; wc -c f; truncate -s +2 f; wc -c f; truncate -s -4 f; wc -c f; truncate -s 0 f; wc -c f; truncate -s 2K new; wc -c new; truncate -c -s 1 no; ls",
    "truncate; truncate -s 1; truncate -s x f; truncate -s 1 nope/x; truncate -s 1 d",
  ]);
});

describe("the scripted gzip", () => {
  compareWithReal(["gzip", "gunzip", "zcat"], FILES, [
    "gzip f; ls; gunzip f.gz; cat f; gzip -k f; ls; gzip -c big | gunzip -c | cmp - big && echo same; zcat f.gz; gzip -dc < f.gz",
    "cat f | gzip | zcat; gzip -9 big; gzip -t big.gz; gunzip -k big.gz; wc -c big; gzip -d -f big.gz; ls",
    "gzip f; echo x > f; gunzip f.gz; echo $?; gunzip -f f.gz; cat f; gunzip f; echo $?; gzip nope; gzip d; echo $?",
    "echo junk > j.gz; gunzip j.gz; echo $?; ls; gzip -c big | head -c 100 > h.gz; gunzip h.gz; echo $?; ls; cp j.gz k.gz; gzip k.gz",
  ]);
});

test("chown's owners are listed by ls, and getent answers from the container's files", async () => {
  const passwd = "root:x:0:0:root:/root:/bin/sh\nweb:x:101:101:Web:/srv:/bin/sh\n";
  const { sh } = await startScripted({ files: { "/etc/passwd": passwd, "/etc/group": "web:x:101:\n" } });
  expect(await sh("touch /f; chown web:web /f; find /f -user web -group web -printf '%u %g %U\\n'")).toEqual({
    stdout: "web web 101\n",
    stderr: "",
    code: 0,
  });
  expect(await sh("getent passwd web; getent passwd 0; getent group web; getent hosts web; getent passwd no")).toEqual({
    stdout: "web:x:101:101:Web:/srv:/bin/sh\nroot:x:0:0:root:/root:/bin/sh\nweb:x:101:\n10.88.0.2       web\n",
    stderr: "",
    code: 2,
  });
});
