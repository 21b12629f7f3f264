import { assertEquals } from "@std/assert";
import { waysTo } from "../../../../runtime/local/ui/reach.ts";
import { sampleIn } from "../../../../runtime/local/ui/sample.ts";
import { it, suite } from "../../../helpers/suite.ts";

const SSH = "From your machine: ssh -N -L 8090:127.0.0.1:8090";

const WAYS: Readonly<
  Record<string, readonly [Readonly<Record<string, string>>, readonly string[]]>
> = {
  "on the machine itself": [{}, []],
  "over SSH": [{ SSH_CONNECTION: "10.0.0.1 50000 10.0.0.2 22", USER: "me" }, [
    `${SSH} me@10.0.0.2`,
  ]],
  "over SSH on another port": [
    { SSH_CONNECTION: "10.0.0.1 50000 fd00::2 2222" },
    [`${SSH} -p 2222 fd00::2`],
  ],
  "with a user whose name a shell would read": [
    { SSH_CONNECTION: "10.0.0.1 50000 10.0.0.2 22", USER: "a;b" },
    [`${SSH} 'a;b@10.0.0.2'`],
  ],
  "where the variable holds something else": [{ SSH_CONNECTION: "a b $(c) d" }, []],
};

suite("the way to the page", () => {
  for (const [where, [env, ways]] of Object.entries(WAYS)) {
    it(`is said ${where}`, () => {
      assertEquals(waysTo(8090, undefined, (name) => env[name]), ways);
    });
  }

  for (
    const [appType, path] of [
      ["JupyterLab", "/jupyterlab/default/proxy/8090/"],
      ["CodeEditor", "/codeeditor/default/ports/8090/"],
    ] as const
  ) {
    it(`in Studio's ${appType} is its proxy, which needs --allow-host`, () => {
      const [way = "", ...more] = waysTo(8090, { appType }, () => undefined);
      assertEquals(
        [way.includes(`https://HOST${path}#TOKEN,`), way.includes("--allow-host HOST"), more],
        [
          true,
          true,
          [],
        ],
      );
    });
  }
});

suite("the sample request", () => {
  for (
    const [readme, body, type] of [
      ["# App\n\n```sh\necho 72,3,15 | mlcli local invoke\n```\n", "72,3,15\n", "text/csv"],
      [`    $ echo '{"a": [1]}' | mlcli local invoke\n`, '{"a": [1]}\n', "application/json"],
      ["echo 1,2 | mlcli local invoke\necho 3,4 | mlcli local invoke\n", "1,2\n", "text/csv"],
      ["Run echo 72,3,15 | mlcli local invoke then.", undefined, undefined],
      ["echo $(id) | mlcli local invoke\n", undefined, undefined],
      ["", undefined, undefined],
    ] as const
  ) {
    it(`of ${JSON.stringify(readme)} is ${JSON.stringify(body ?? null)}`, () => {
      assertEquals(sampleIn(readme), body === undefined ? null : { body, content_type: type });
    });
  }
});
