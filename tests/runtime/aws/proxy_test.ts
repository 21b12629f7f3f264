import { assertEquals, assertThrows } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { checkProxies, namesProxy, proxyLogins } from "../../../runtime/aws/network.ts";
import { it, suite } from "../../helpers/suite.ts";

const VARIABLES = [
  ...["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
] as const;

type Environment = Readonly<Record<string, string>>;
const reader = (env: Environment) => (name: string): string | undefined => env[name];

suite("checkProxies", () => {
  const accepted = [
    ...["", "proxy", "proxy:3128", "10.0.0.1:8080", "http://proxy:3128", "https://proxy"],
    ...["HTTP://PROXY/", "socks5://proxy:1080", "socks5h://proxy", "jo:secret@proxy:1"],
    ...["http://jo:a%b@proxy", "http://[::1]:3128"],
  ];
  for (const value of accepted) {
    it(`takes "${value}" for an address`, () => {
      for (const name of VARIABLES) checkProxies(reader({ [name]: value }));
    });
  }

  const refused = [
    ...["ftp://proxy", "socks://proxy", "socks4://proxy", "://proxy", "http://", "socks5://"],
    ...["proxy:port", "http://pro xy", "http://proxy:99999", "shttp://proxy", "[::1"],
  ];
  for (const value of refused) {
    it(`does not take "${value}" for one, and does not show it`, () => {
      for (const name of VARIABLES) {
        const error = assertThrows(() => checkProxies(reader({ [name]: value })), AwsError);
        assertEquals([error.refusal, error.message, error.hint, error.cause], [
          "unreachable",
          `${name} is not the address of a proxy`,
          "It should be like http://proxy:3128.",
          undefined,
        ]);
      }
    });
  }

  it("checks each variable, and no other one", () => {
    const wrong = { NO_PROXY: "://", no_proxy: "://", FTP_PROXY: "://" };
    checkProxies(reader(wrong));
    const env = { ...wrong, HTTPS_PROXY: "proxy", all_proxy: "://" };
    assertThrows(() => checkProxies(reader(env)), AwsError, "all_proxy is not");
  });
});

suite("namesProxy", () => {
  const rows: readonly (readonly [env: Environment, expected: boolean])[] = [
    [{}, false],
    [{ HTTPS_PROXY: "", http_proxy: "" }, false],
    [{ NO_PROXY: "*" }, false],
    ...VARIABLES.map((name) => [{ [name]: "proxy" }, true] as const),
  ];
  for (const [env, expected] of rows) {
    it(`${JSON.stringify(env)}: ${expected}`, () => {
      assertEquals(namesProxy(reader(env)), expected);
    });
  }
});

suite("proxyLogins", () => {
  const rows: readonly (readonly [env: Environment, logins: readonly (readonly string[])[]])[] = [
    [{}, []],
    [{ HTTPS_PROXY: "http://proxy" }, []],
    [{ HTTPS_PROXY: "http://jo@proxy" }, []],
    [{ HTTPS_PROXY: "ftp://jo:secret@proxy" }, []],
    [{ HTTPS_PROXY: "http://jo:secret@proxy" }, [["jo", "secret"]]],
    [{ http_proxy: "jo:secret@proxy:1" }, [["jo", "secret"]]],
    [{ ALL_PROXY: "socks5://:secret@proxy" }, [["", "secret"]]],
    [{ HTTPS_PROXY: "http://j%40:%2Fa%20b@proxy" }, [["j@", "/a b"]]],
    [{ HTTPS_PROXY: "http://jo:100%@proxy" }, [["jo", "100%"]]],
    [{ HTTPS_PROXY: "http://100%:a%2Fb@proxy" }, [["100%", "a/b"]]],
    [
      {
        all_proxy: "http://c:three@p",
        HTTPS_PROXY: "http://a:one@p",
        HTTP_PROXY: "http://b:two@p",
      },
      [["a", "one"], ["b", "two"], ["c", "three"]],
    ],
  ];
  for (const [env, logins] of rows) {
    it(`of ${JSON.stringify(env)}: ${JSON.stringify(logins)}`, () => {
      const found = proxyLogins(reader(env)).map(({ name, password }) => [name, password]);
      assertEquals(found, logins);
    });
  }
});
