import { assertEquals, assertMatch } from "@std/assert";
import { Authority, TlsServer } from "../../helpers/certificates.ts";
import { runCloud } from "../../helpers/cloud.ts";
import { USER_KEY } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../../helpers/suite.ts";

/** The certificate of an authority that has signed nothing. */
async function certificateOfAnother(): Promise<string> {
  await using other = await Authority.make();
  return await Deno.readTextFile(other.file);
}

suite("the cloud commands and private certificates", () => {
  let authority: Authority;
  let home = "";

  beforeAll(async () => {
    authority = await Authority.make();
    home = await Deno.makeTempDir({ prefix: "mlcli-test-certificates-" });
    const text = await Deno.readTextFile(authority.file);
    const other = await certificateOfAnother();
    await Deno.writeTextFile(`${home}/two.pem`, `# ours\n${other}\n${text}`);
    const keys = `aws_access_key_id = ${USER_KEY.id}\naws_secret_access_key = ${USER_KEY.secret}\n`;
    await Deno.writeTextFile(
      `${home}/config`,
      `[default]\nregion = eu-west-1\nca_bundle = ${authority.file}\n` +
        `[profile work]\nca_bundle = ~/two.pem\n${keys}[profile bare]\n${keys}`,
    );
  });

  afterAll(async () => {
    await authority[Symbol.asyncDispose]();
    await Deno.remove(home, { recursive: true });
  });

  /** Lists the endpoints of a platform whose certificate is for a host, and asks `localhost`. */
  async function list(
    env: Readonly<Record<string, string>>,
    { host = "localhost", end }: {
      readonly host?: string;
      readonly end?: string;
    } = {},
  ): Promise<ProgramResult & { readonly host: string }> {
    await using aws = await Box.open();
    await using server = new TlsServer(aws.url, await authority.certify(host, end));
    const asked = `localhost:${server.port}`;
    const result = await runCloud(aws, ["list-endpoints"], {
      env: { AWS_ENDPOINT_URL: `https://${asked}`, HOME: home, ...env },
    });
    return { ...result, host: asked };
  }

  for (const name of ["AWS_CA_BUNDLE", "SSL_CERT_FILE", "DENO_CERT"]) {
    it(`trust those in the file of ${name}`, async () => {
      const { code, stderr } = await list({ [name]: authority.file });
      assertEquals([code, stderr], [0, ""]);
    });
  }

  it("do not mind a variable of other programs that names nothing", async () => {
    const { code, stderr } = await list({
      SSL_CERT_FILE: "/nonexistent.pem",
      DENO_CERT: authority.file,
    });
    assertEquals([code, stderr], [0, ""]);
  });

  it("trust those of ca_bundle in the profile, also one below HOME", async () => {
    for (const profile of [undefined, "work"]) {
      const { code, stderr } = await list({
        AWS_CONFIG_FILE: `${home}/config`,
        ...(profile ? { AWS_PROFILE: profile } : {}),
      });
      const note = `note: The credentials come from AWS_ACCESS_KEY_ID, not from profile "work" `;
      assertEquals([code, stderr], [0, profile ? `${note}(AWS_PROFILE)\n` : ""]);
    }
    const { code, stderr } = await list({ AWS_CONFIG_FILE: `${home}/config`, AWS_PROFILE: "bare" });
    assertEquals(code, 1);
    assertMatch(stderr, /is not trusted/);
  });

  it("say that one is not trusted, and what helps", async () => {
    const { code, stdout, stderr, host } = await list({});
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      new RegExp(
        `^error: The certificate of ${host} is not trusted\n {2}.+\nhint: .*AWS_CA_BUNDLE.*\n$`,
      ),
    );
  });

  it("say that one has expired", async () => {
    const { code, stderr, host } = await list({ AWS_CA_BUNDLE: authority.file }, {
      end: "20200102000000Z",
    });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      new RegExp(`^error: The certificate of ${host} has expired\n {2}.+\nhint: .*clock.*\n$`),
    );
  });

  it("say that one is for another name", async () => {
    const { code, stderr, host } = await list({ AWS_CA_BUNDLE: authority.file }, {
      host: "other.test",
    });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      new RegExp(
        `^error: The certificate of ${host} is for another host name\n {2}.*other\\.test.*\nhint: `,
      ),
    );
  });
});
