import { assert, assertEquals, assertMatch } from "@std/assert";
import { manualPages, roff } from "../../../scripts/tasks/man.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What stands at the start of a line, of all that roff obeys. */
const REQUESTS = ["TH", "SH", "TP", "PP", "RS", "RE", "nf", "fi", "nh", "ad"];

suite("the manual pages", () => {
  it("hold what the help says", async () => {
    const { "mlcli-local-train.1": page = "" } = await manualPages("2026-03-01");
    assertMatch(page, /^\.TH MLCLI\\-LOCAL\\-TRAIN 1 "2026-03-01" "mlcli [\d.]+" "mlcli"\n/);
    assertMatch(page, /\n\.SH NAME\nmlcli\\-local\\-train \\- \S.*[^.]\n/);
    assertMatch(page, /\n\.TP\n\\fB\\-t, \\-\\-docker\\-tag TAG\\fR\nTag of the image \(/);
    assertMatch(page, /\n\.SH EXAMPLES\n[^]*\n\.nf\nmlcli local train/);
    assertMatch(page, /\n\.SH SEE ALSO\n\\fBmlcli\\fR\(1\),\n\\fBmlcli\\-local\\fR\(1\)$/);
  });

  it("are one a command, hidden ones excepted, and lead to each other", async () => {
    const pages = await manualPages("2026-03-01");
    assertEquals(Object.keys(pages).filter((name) => /complete\./.test(name)), []);
    assert("mlcli-completions-bash.1" in pages);
    for (const page of Object.values(pages)) {
      for (const [, name = ""] of page.matchAll(/\\fB(\S+)\\fR\(1\)/g)) {
        assert(`${name.replaceAll("\\-", "-")}.1` in pages, name);
      }
    }
  });

  it("have nothing that roff would take for something else", async () => {
    for (const [name, page] of Object.entries(await manualPages("2026-03-01"))) {
      assertMatch(page, /^[\n -~]+$/, name);
      for (const line of page.split("\n")) {
        if (/^[.']/.test(line)) assert(REQUESTS.includes(line.slice(1, 3)), `${name}: ${line}`);
        const escapes = line.match(/\\(.|$)/g) ?? [];
        for (const escape of escapes) assert(/^\\[-ef&(]$/.test(escape), `${name}: ${line}`);
      }
    }
  });

  const rows: readonly (readonly [text: string, expected: string])[] = [
    ["a", "a"],
    ["--wait", "\\-\\-wait"],
    [".dockerignore and .", "\\&.dockerignore and ."],
    ["'text/csv'", "\\(aqtext/csv\\(aq"],
    ["C:\\dir", "C:\\edir"],
    ["~/.aws `x` a^b", "\\(ti/.aws \\(gax\\(ga a\\(hab"],
  ];
  for (const [text, expected] of rows) {
    it(`write ${text} as ${expected}`, () => assertEquals(roff(text), expected));
  }
});
