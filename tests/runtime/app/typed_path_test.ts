import { assertEquals } from "@std/assert";
import {
  absolutePath,
  isOutside,
  recordedPath,
  shellWord,
  typedPath,
} from "../../../runtime/app/typed_path.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("typedPath", () => {
  const rows = [
    ["/home/jo/app", "app"],
    ["/home/jo/app/data/x.csv", "app/data/x.csv"],
    ["/home/jo/app/../b", "b"],
    ["/home/jo/..data", "..data"],
    ["/home/jo", "/home/jo"],
    ["/home/jo/", "/home/jo/"],
    ["/home", "/home"],
    ["/home/joe/app", "/home/joe/app"],
    ["/etc/passwd", "/etc/passwd"],
  ] as const;
  for (const [path, typed] of rows) {
    it(`${path} is ${typed} in /home/jo`, () =>
      assertEquals(typedPath({ directory: "/home/jo" }, path), typed));
  }

  const below = [
    ["/home/jo/app/src/a.py", "a.py"],
    ["/home/jo/app/data/x.csv", "../data/x.csv"],
    ["/home/jo", "../.."],
    ["/home/jo/app/src", "/home/jo/app/src"],
    ["/home/joe/app", "/home/joe/app"],
    ["/etc/passwd", "/etc/passwd"],
  ] as const;
  for (const [path, typed] of below) {
    it(`${path} of an app in /home/jo is ${typed} in /home/jo/app/src`, () =>
      assertEquals(typedPath({ directory: "/home/jo", cwd: "/home/jo/app/src" }, path), typed));
  }
});

suite("recordedPath", () => {
  const rows = [
    ["/home/jo/data", "data"],
    ["/home/jo", "."],
    ["/data", "/data"],
  ] as const;
  for (const [path, recorded] of rows) {
    it(`${path} of an app in /home/jo is recorded as ${recorded} from each current directory`, () =>
      assertEquals(recordedPath({ directory: "/home/jo", cwd: "/home/jo/app" }, path), recorded));
  }
});

suite("absolutePath", () => {
  const rows = [
    ["app", "/home/jo/app"],
    ["./app/", "/home/jo/app/"],
    ["../app", "/home/app"],
    ["a/../b", "/home/jo/b"],
    [".", "/home/jo"],
    ["", "/home/jo"],
    ["~/app", "/home/jo/~/app"],
    ["/data", "/data"],
    ["/data//x/../y", "/data/y"],
  ] as const;
  for (const [typed, path] of rows) {
    it(`"${typed}" is ${path} in /home/jo`, () => {
      assertEquals(absolutePath("/home/jo", typed), path);
    });
  }
});

suite("isOutside", () => {
  const rows = [
    ["..", true],
    ["../x", true],
    ["..\\x", true],
    ["/", true],
    ["/x", true],
    ["", false],
    [".", false],
    ["x", false],
    ["x/..", false],
    ["..x", false],
    ["ab/c", false],
    ["...", false],
    ["../x\n", true],
    ["x\n../y", false],
  ] as const;
  for (const [path, expected] of rows) {
    it(`${JSON.stringify(path)}: ${expected}`, () => assertEquals(isOutside(path), expected));
  }
});

suite("shellWord", () => {
  const rows = [
    ["word", "word"],
    ["a/b-c_d.e:1,f=@%+", "a/b-c_d.e:1,f=@%+"],
    ["", "''"],
    ["two words", "'two words'"],
    ["it's", "'it'\\''s'"],
    ["''", "''\\'''\\'''"],
    ["$HOME", "'$HOME'"],
    ["`id`", "'`id`'"],
    ["a;b", "'a;b'"],
    ["a&b", "'a&b'"],
    ["a|b", "'a|b'"],
    ["a*?", "'a*?'"],
    ["~", "'~'"],
    ["a\\b", "'a\\b'"],
    ['"', "'\"'"],
    ["line\n", "'line\n'"],
    ["\nline", "'\nline'"],
    ["ü", "'ü'"],
  ] as const;
  for (const [word, quoted] of rows) {
    it(`${JSON.stringify(word)} is ${JSON.stringify(quoted)}`, () => {
      assertEquals(shellWord(word), quoted);
    });
  }

  it("gives the shell the word as it is", async () => {
    const words = rows.map(([word]) => word);
    const script = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
    const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
    assertEquals(new TextDecoder().decode(stdout).split("\0").slice(0, -1), words);
  });
});
