import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCloud } from "../helpers/cloud.ts";
import { FakePlatform } from "../helpers/fake_platform.ts";
import { ACCOUNT, REGION } from "../helpers/platform_answers.ts";
import { FakeProxy } from "../helpers/proxy.ts";
import { it, suite } from "../helpers/suite.ts";

/** What may not be shown. */
const PASSWORD = "open-sesame";

/** Node's agents in an older Deno know no proxies. */
const NO_PROXIES = /^2\.[0-8]\./.test(Deno.version.deno);

suite("the cloud commands and a proxy", () => {
  if (NO_PROXIES) return;
  for (const [name, scheme] of [["HTTP_PROXY", "http://"], ["http_proxy", ""]] as const) {
    it(`ask through the one of ${name}, also for a role`, async () => {
      await using platform = new FakePlatform();
      await using proxy = new FakeProxy(platform.url);
      const role = `arn:aws:iam::${ACCOUNT}:role/ml`;
      platform.roles.add(role);
      platform.add("churn");
      const { code, stdout, stderr } = await runCloud(platform, ["list-endpoints", "-r", role], {
        env: { AWS_ENDPOINT_URL: "http://platform.test", [name]: scheme + proxy.host },
      });
      assertEquals([code, stdout.split("  ")[0], stderr], [0, "churn", ""]);
      assertEquals(proxy.heads.map((head) => head.split("\r\n")[0]), [
        "POST http://platform.test/ HTTP/1.1",
        "POST http://platform.test/ HTTP/1.1",
      ]);
    });
  }

  it("ask for a tunnel to what is encrypted, and say why there is none", async () => {
    await using platform = new FakePlatform();
    await using proxy = new FakeProxy();
    const { code, stdout, stderr } = await runCloud(platform, ["list-endpoints"], {
      env: {
        AWS_ENDPOINT_URL: undefined,
        AWS_MAX_ATTEMPTS: "1",
        HTTPS_PROXY: `http://jo:${PASSWORD}@${proxy.host}`,
        MLCLI_DEBUG: "1",
      },
    });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: The platform cannot be reached\n {2}.*tunnel.*407 Who.*\nhint: .*the proxy/,
    );
    assert(!stderr.includes(PASSWORD) && !stderr.includes(btoa(`jo:${PASSWORD}`)), stderr);
    const [head] = proxy.heads;
    assertStringIncludes(head!, `CONNECT api.sagemaker.${REGION}.amazonaws.com:443 `);
    assertStringIncludes(head!, `Basic ${btoa(`jo:${PASSWORD}`)}`);
  });
});

suite("the cloud commands without a proxy", () => {
  it("do without it for the hosts in NO_PROXY", async () => {
    for (const name of ["NO_PROXY", "no_proxy"]) {
      await using platform = new FakePlatform();
      await using proxy = new FakeProxy();
      const { code, stderr } = await runCloud(platform, ["list-endpoints"], {
        env: { HTTP_PROXY: `http://${proxy.host}`, [name]: "localhost,127.0.0.1" },
      });
      assertEquals([code, stderr, proxy.heads], [0, "", []]);
    }
  });

  it("say that its address is none, and do not show it", async () => {
    for (const address of [`socks5://jo:${PASSWORD}@proxy`, `jo:${PASSWORD}@proxy:port`]) {
      await using platform = new FakePlatform();
      const { code, stderr } = await runCloud(platform, ["list-endpoints"], {
        env: { https_proxy: address },
      });
      assertEquals([code, stderr], [
        1,
        "error: https_proxy is not the address of a proxy\n" +
        "hint: It should be like http://proxy:3128.\n",
      ]);
    }
  });
});
