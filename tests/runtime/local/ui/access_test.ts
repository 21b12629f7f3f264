import { assert, assertEquals, assertMatch } from "@std/assert";
import { isSame, newToken, objection } from "../../../../runtime/local/ui/access.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Host, Origin, and whether the request is let in by a server with the name `box.example`. */
const CASES: readonly (readonly [host: string | null, origin: string | null, isLetIn: boolean])[] =
  [
    [null, null, true],
    ["localhost:8090", null, true],
    ["LOCALHOST.:8090", "http://localhost:8090", true],
    ["app.localhost", "http://app.localhost", true],
    ["127.0.0.1:8090", "http://127.0.0.1:8090", true],
    ["[::1]:8090", "http://[0:0:0:0:0:0:0:1]:8090", true],
    ["10.0.0.7:8090", "http://10.0.0.7:8090", true],
    ["box.example:8090", "https://box.example", true],
    ["localhost:8090", "https://Box.Example", true],
    ["localhost", "http://0.0.0.0", true],
    // DNS rebinding: the name of a page of somebody else, which leads to this machine.
    ["evil.example:8090", null, false],
    ["evil.example", "http://evil.example", false],
    ["localhost.evil.example", null, false],
    ["127.0.0.1.evil.example", null, false],
    // As browsers read it: 1.2.0.3.
    ["1.2.3", null, true],
    ["1.2.3.256", null, false],
    ["evil.example2", null, false],
    ["127.evil.example", "http://127.evil.example", false],
    ["localhost", "http://127.evil.example", false],
    ["", null, false],
    ["a b", null, false],
    ["localhost, evil.example", null, false],
    ["[zz]", null, false],
    ["[::1", null, false],
    ["localhost@evil.example", null, false],
    ["evil.example@localhost", null, false],
    ["localhost/evil", null, false],
    // A page from elsewhere, which sends a request to this machine.
    ["localhost:8090", "http://evil.example", false],
    ["localhost:8090", "http://10.0.0.8", false],
    ["10.0.0.7", "http://10.0.0.8", false],
    ["localhost:8090", "null", false],
    ["localhost:8090", "", false],
    ["localhost:8090", "file://", false],
    ["localhost:8090", "ftp://localhost", false],
    ["localhost:8090", "http://evil.example#://localhost", false],
    ["localhost:8090", "http://localhost:x", false],
  ];

suite("who may call the page", () => {
  for (const [host, origin, isLetIn] of CASES) {
    const words = JSON.stringify([host, origin]);
    it(`the host and the origin ${words} are ${isLetIn ? "let in" : "refused"}`, () => {
      const found = objection(host, origin, ["box.example"]);
      assertEquals(found === undefined, isLetIn, found);
    });
  }

  it("a refusal says how to let a name in, and only a valid one", () => {
    assertEquals(
      objection("Evil.example:1", null, []),
      'Refused: the host "Evil.example:1" is unknown. ' +
        "To allow it: mlcli local ui --allow-host evil.example",
    );
    assertEquals(
      objection("a b", null, []),
      'Refused: the host "a b" is unknown. Open the address that mlcli printed.',
    );
  });

  it("a token has 32 random bytes, and nothing but itself is the same", () => {
    const token = newToken();
    assertMatch(token, /^[\w-]{43}$/);
    assert(newToken() !== token);
    assertEquals(isSame(token, token), true);
    for (const other of ["", token.slice(1), `${token}x`, token.replace(/^./, "~")]) {
      assertEquals(isSame(other, token), false, other);
    }
  });
});
