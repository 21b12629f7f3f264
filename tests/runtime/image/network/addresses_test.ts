import { assertEquals } from "@std/assert";
import {
  holdsLogin,
  hostsOf,
  isLoopback,
  passwordsOf,
  withoutPasswords,
} from "../../../../runtime/image/network/addresses.ts";
import { netrcFor } from "../../../../runtime/image/network/pip_settings.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("addresses of indexes and proxies", () => {
  const rows: readonly (readonly [string, boolean, readonly string[], boolean])[] = [
    ["https://pypi.corp/simple", false, ["pypi.corp"], false],
    ["https://me:secret@pypi.corp:8443/simple", true, ["pypi.corp"], false],
    ["https://token@a/x https://b/y", true, ["a", "b"], false],
    ["https://a/x?mail=me@corp", false, ["a"], false],
    ["proxy:3128", false, ["proxy"], false],
    ["me:secret@proxy:3128", true, ["proxy"], false],
    ["http://localhost:3128", false, ["localhost"], true],
    ["127.0.0.1:8080", false, ["127.0.0.1"], true],
    ["http://[::1]:3128/", false, ["[::1]"], true],
    ["socks5://127.9.9.9:1", false, ["127.9.9.9"], true],
    ["http://localhost.corp:1", false, ["localhost.corp"], false],
    ["", false, [], false],
    ["http://", false, [], false],
  ];
  for (const [address, login, hosts, loopback] of rows) {
    it(JSON.stringify(address), () => {
      assertEquals(
        [holdsLogin(address), hostsOf(address), hostsOf(address).some(isLoopback)],
        [login, hosts, loopback],
      );
    });
  }
});

suite("passwordsOf", () => {
  it("gives passwords, and tokens that stand alone", () => {
    assertEquals(
      passwordsOf("https://me:a%40b@host/x https://token@host me:c:d@proxy:1 https://e/f"),
      ["a%40b", "token", "c:d"],
    );
  });
});

suite("withoutPasswords", () => {
  it("withoutPasswords hides passwords, encoded for an address and plain", () => {
    assertEquals(
      withoutPasswords("https://me:pa%40ss@host pa@ss abc\n", ["pa%40ss", "abc"]),
      "https://me:[secret]@host [secret] abc\n",
    );
  });
});

suite("netrcFor", () => {
  const text = "# mine\nmachine github.com login me password gh-secret\n" +
    'machine pypi.corp\n  login me\n  password "with space"\n' +
    "macdef init\nmachine pypi.corp password macro\n\n" +
    "default login anonymous password me\n";

  it("keeps the entries of the hosts, and no other's", () => {
    assertEquals(
      netrcFor(text, ["pypi.corp"]),
      'machine pypi.corp\n  login me\n  password "with space"\n',
    );
    assertEquals(netrcFor(text, ["example.org"]), "");
  });

  it("takes a broken file as far as it goes", () => {
    assertEquals(netrcFor("machine", ["a"]), "");
    assertEquals(netrcFor("machine a login", ["a"]), "machine a\n");
    assertEquals(netrcFor("login x password y", ["a"]), "");
  });
});
