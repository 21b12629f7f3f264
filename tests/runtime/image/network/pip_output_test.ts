import { assertEquals, assertStringIncludes } from "@std/assert";
import { MlcliError } from "../../../../runtime/errors.ts";
import { PipOutput } from "../../../../runtime/image/network/pip_output.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** The hint for a build that fails in a step which said this. */
function hintFor(said: string, id = "pip", hint = ""): string | undefined {
  const output = new PipOutput({ passwords: [], ...(hint ? { hint } : {}) });
  output.read({ kind: "log", id: "pip", text: said });
  output.read({ kind: "step", id, name: "RUN", state: "failed" });
  const error = output.explained(new MlcliError("Build failed: 1", { hint: "as before" }));
  assertEquals((error as MlcliError).message, "Build failed: 1");
  return (error as MlcliError).hint;
}

suite("PipOutput", () => {
  // As pip 23.0 to 25.3 said it.
  const rows: readonly (readonly [said: string, hint: string])[] = [
    [
      "Could not fetch URL https://pypi.org/simple/six/: (Caused by SSLError(SSLCertVerification" +
      "Error(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed",
      "certificate_file",
    ],
    [
      "(Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection ",
      "HTTPS_PROXY",
    ],
    ["Looking in indexes: https://pypi.corp/simple\nUser for pypi.corp: ", "~/.netrc"],
    ["WARNING: 401 Error, Credentials not correct for https://pypi.corp/simple/", "~/.netrc"],
    [
      "NewConnectionError('<...>: Failed to establish a new connection: [Errno 111]",
      "PIP_INDEX_URL",
    ],
  ];
  for (const [said, hint] of rows) {
    it(`tells what to do about: ${said.slice(0, 50)}`, () => {
      assertStringIncludes(hintFor(said) ?? "", hint);
    });
  }

  it("says how pip gets what is found, where it did not", () => {
    assertEquals(hintFor("CERTIFICATE_VERIFY_FAILED", "pip", "Add this line"), "Add this line");
    assertEquals(hintFor("No matching distribution", "pip", "Add this line"), "as before");
  });

  it("leaves other failures as they are, and what another step said", () => {
    assertEquals(hintFor("ERROR: No matching distribution found for panda"), "as before");
    assertEquals(hintFor("CERTIFICATE_VERIFY_FAILED", "another"), "as before");
  });

  it("hides passwords, as they stand in an address and as they are", () => {
    const output = new PipOutput({ passwords: ["pa%40ss", "abc"] });
    const text = "https://me:pa%40ss@host pa@ss abc\n";
    assertEquals(output.read({ kind: "log", id: "1", text }), {
      kind: "log",
      id: "1",
      text: "https://me:[secret]@host [secret] abc\n",
    });
  });
});
