import { assert, assertEquals } from "@std/assert";
import { Secrets } from "../../../runtime/aws/secrets.ts";
import { it, suite } from "../../helpers/suite.ts";

const SECRET = 'sec/ret+with "all" of=them&\u00fc\u{1f511}';

const FORMS: readonly (readonly [name: string, text: string])[] = [
  ["as it is", SECRET],
  ["encodeURIComponent", encodeURIComponent(SECRET)],
  ["percent-encoded with small letters", lowerHex(encodeURIComponent(SECRET))],
  ["encodeURI", encodeURI(SECRET)],
  ["a form", new URLSearchParams({ x: SECRET }).toString().slice(2)],
  ["JSON", JSON.stringify(SECRET).slice(1, -1)],
  ["JSON with ASCII alone", ascii(JSON.stringify(SECRET).slice(1, -1))],
  ["JSON with escaped slashes", JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")],
  ["XML", SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;")],
];

function lowerHex(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

function ascii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

const withSecret = (value: string): Secrets =>
  new Secrets((name) => name === "AWS_SECRET_ACCESS_KEY" ? value : undefined);

suite("Secrets", () => {
  for (const [name, text] of FORMS) {
    it(`redacts a secret: ${name}`, () => {
      assertEquals(withSecret(SECRET).redact(`<${text}> <${text}>`), "<[secret]> <[secret]>");
    });
  }

  it("redacts base64, wherever the secret is in it", () => {
    for (const before of ["", "u", "us", "user:", "AWS:"]) {
      for (const after of ["", "!", "!!"]) {
        const encoded = base64(before + SECRET + after);
        const forURL = encoded.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
        const secrets = withSecret(SECRET);
        assertEquals(secrets.redact(`Basic ${encoded}, ${forURL}.`), "Basic [secret], [secret].");
      }
    }
  });

  it("redacts what credentials bring with them", () => {
    const secrets = new Secrets(() => undefined);
    secrets.add({ secretAccessKey: "k".repeat(40), sessionToken: "t/".repeat(20) });
    assertEquals(
      secrets.redact(`${"k".repeat(40)} ${encodeURIComponent("t/".repeat(20))}`),
      "[secret] [secret]",
    );
  });

  it("redacts a proxy's password, also with its name", () => {
    const login = { name: "jo", password: "p@ss/word" };
    const secrets = new Secrets(() => undefined, [login]);
    for (const form of ["p@ss/word", "p%40ss%2Fword", base64("jo:p@ss/word")]) {
      assert(!secrets.redact(`x ${form} y`).includes(form), form);
    }
    const short = new Secrets(() => undefined, [{ name: "jo", password: "pw" }]);
    assertEquals(short.redact(`pw Basic ${btoa("jo:pw")}`), "pw Basic [secret]");
  });

  it("leaves everything else, and words that are too short", () => {
    const secrets = withSecret("test");
    assertEquals(secrets.redact("this is a test"), "this is a test");
    assertEquals(withSecret(SECRET).redact("sec/ret and YWJjZGVm"), "sec/ret and YWJjZGVm");
  });

  it("redacts an error's message and stack", () => {
    const error = withSecret(SECRET).redactError(
      new TypeError(`no: ${encodeURIComponent(SECRET)}`),
    );
    assertEquals([error.name, error.message], ["TypeError", "no: [secret]"]);
    assert(!error.stack!.includes("sec%2F"));
  });
});
