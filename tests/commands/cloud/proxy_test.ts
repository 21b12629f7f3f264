import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Authority, TlsServer } from "../../helpers/certificates.ts";
import { runCloud } from "../../helpers/cloud.ts";
import { ACCOUNT, REGION } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import { FakeProxy, FakeSocks } from "../../helpers/proxy.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What may not be shown. */
const PASSWORD = "open sesame/1";
const IN_URL = encodeURIComponent(PASSWORD);

function assertNotShown(text: string): void {
  for (const form of [PASSWORD, IN_URL, btoa(`jo:${PASSWORD}`)]) {
    assert(!text.includes(form), text);
  }
}

suite("the cloud commands and a proxy", () => {
  for (
    const [name, scheme] of [
      ["HTTP_PROXY", "http://"],
      ["http_proxy", ""],
      ["ALL_PROXY", "http://"],
      ["all_proxy", "http://"],
    ] as const
  ) {
    it(`ask through the one of ${name}, also for a role`, async () => {
      await using aws = await Box.open();
      await using proxy = new FakeProxy({ target: aws.url });
      const role = `arn:aws:iam::${ACCOUNT}:role/ml`;
      aws.roles.add(role);
      aws.endpoints.add("churn");
      const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints", "-r", role], {
        env: {
          AWS_ENDPOINT_URL: "http://platform.test",
          [name]: `${scheme}jo:${IN_URL}@${proxy.host}`,
        },
      });
      assertEquals([code, stdout.split("  ")[0], stderr], [0, "churn", ""]);
      assertEquals(proxy.heads.map((head) => head.split("\r\n")[0]), [
        "POST http://platform.test/ HTTP/1.1",
        "POST http://platform.test/ HTTP/1.1",
      ]);
      for (const head of proxy.heads) assertStringIncludes(head, btoa(`jo:${PASSWORD}`));
    });
  }

  for (const name of ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] as const) {
    it(`ask through the tunnel of ${name}, what deletes too`, async () => {
      await using aws = await Box.open();
      await using authority = await Authority.make();
      await using server = new TlsServer(aws.url, await authority.certify("platform.test"));
      await using proxy = new FakeProxy({ tunnel: server.port });
      aws.endpoints.add("churn", { model: "churn-mlcli" });
      const args = ["delete-endpoint", "-n", "churn", "--delete-config", "--delete-model"];
      assertEquals(
        await runCloud(aws, args, {
          env: {
            AWS_ENDPOINT_URL: "https://platform.test",
            AWS_CA_BUNDLE: authority.file,
            [name]: `http://jo:${IN_URL}@${proxy.host}`,
          },
        }),
        { code: 0, stdout: "churn\n", stderr: "" },
      );
      assertEquals([...aws.endpoints.configurations], []);
      for (const head of proxy.heads) {
        assertStringIncludes(head, "CONNECT platform.test:443 ");
        assertStringIncludes(head, `Basic ${btoa(`jo:${PASSWORD}`)}`);
      }
      // As many for what asks as is asked at once, four at most, and one each for what deletes.
      const { length } = proxy.heads;
      assert(length >= 3 && length <= 7, `${length} connections`);
    });
  }

  it("ask through one that speaks TLS itself", async () => {
    await using aws = await Box.open();
    await using authority = await Authority.make();
    await using server = new TlsServer(aws.url, await authority.certify("platform.test"));
    await using proxy = new FakeProxy({ tunnel: server.port });
    const certificate = await authority.certify("localhost");
    await using encrypted = new TlsServer(`http://${proxy.host}`, certificate);
    aws.endpoints.add("churn");
    const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"], {
      env: {
        AWS_ENDPOINT_URL: "https://platform.test",
        AWS_CA_BUNDLE: authority.file,
        HTTPS_PROXY: `https://jo:${IN_URL}@localhost:${encrypted.port}`,
      },
    });
    assertEquals([code, stdout.split("  ")[0], stderr], [0, "churn", ""]);
    assertStringIncludes(proxy.heads[0]!, "CONNECT platform.test:443 ");
  });

  it("ask through a SOCKS proxy", async () => {
    await using aws = await Box.open();
    await using socks = new FakeSocks(Number(new URL(aws.url).port));
    aws.endpoints.add("churn");
    const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"], {
      env: { AWS_ENDPOINT_URL: "http://platform.test", ALL_PROXY: `socks5h://${socks.host}` },
    });
    assertEquals([code, stdout.split("  ")[0], stderr], [0, "churn", ""]);
    assertEquals(socks.hosts, ["platform.test"]);
  });

  for (
    const [title, endpoint, refusal, words] of [
      [
        "that wants a password for a tunnel",
        undefined,
        undefined,
        /^note: .*\nerror: The proxy requires a valid user name and password\n {2}.+\nhint: .*HTTPS_PROXY=/,
      ],
      [
        "that makes no tunnel",
        undefined,
        "403 Not there",
        /^note: .*\nerror: Cannot reach api\.sagemaker\..* through the proxy\n {2}.+\nhint: .*NO_PROXY/,
      ],
      [
        "that wants a password",
        "http://platform.test",
        undefined,
        /^note: .*\nerror: The proxy requires a valid user name and password\n {2}HTTP 407\nhint: .*NAME:PASS/,
      ],
    ] as const
  ) {
    it(`explain one ${title}`, async () => {
      await using aws = await Box.open();
      await using proxy = new FakeProxy({ refusal });
      const address = `http://jo:${IN_URL}@${proxy.host}`;
      const { code, stdout, stderr } = await runCloud(aws, ["list-endpoints"], {
        env: {
          AWS_ENDPOINT_URL: endpoint,
          HTTPS_PROXY: address,
          HTTP_PROXY: address,
          MLCLI_DEBUG: "1",
        },
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, words);
      assertNotShown(stderr);
      const [head] = proxy.heads;
      assertStringIncludes(head!, endpoint ?? `CONNECT api.sagemaker.${REGION}.amazonaws.com:443 `);
      assertStringIncludes(head!, `Basic ${btoa(`jo:${PASSWORD}`)}`);
    });
  }

  it("explain one that does not answer", async () => {
    await using aws = await Box.open();
    const { code, stderr } = await runCloud(aws, ["list-endpoints"], {
      env: {
        AWS_ENDPOINT_URL: "https://platform.test",
        AWS_MAX_ATTEMPTS: "1",
        // Nobody listens there.
        HTTPS_PROXY: `http://jo:${IN_URL}@127.0.0.1:2`,
        MLCLI_DEBUG: "1",
      },
    });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^note: .*\nerror: Cannot reach AWS at platform\.test\n.*\nhint: .*proxy/,
    );
    assertNotShown(stderr);
  });

  for (
    const [exceptions, isDirect] of [
      ["platform.test", true],
      ["other.test, platform.test", true],
      [".platform.test", true],
      ["test", true],
      ["*", true],
      ["form.test", false],
      ["*.test", false],
      ["platform.test:80", false],
      ["127.0.0.0/8", false],
    ] as const
  ) {
    const way = isDirect ? "without it" : "through it";
    it(`ask platform.test ${way} where NO_PROXY is ${exceptions}`, async () => {
      await using aws = await Box.open();
      await using proxy = new FakeProxy({ target: aws.url });
      const { code } = await runCloud(aws, ["list-endpoints"], {
        env: {
          // There is no such host: who asks without the proxy does not find it.
          AWS_ENDPOINT_URL: "http://platform.test",
          AWS_MAX_ATTEMPTS: "1",
          HTTP_PROXY: `http://${proxy.host}`,
          NO_PROXY: exceptions,
        },
      });
      assertEquals([code, proxy.heads.length], isDirect ? [1, 0] : [0, 1]);
    });
  }

  it("ask addresses without it that NO_PROXY names", async () => {
    for (const [name, value] of [["NO_PROXY", "127.0.0.1"], ["no_proxy", "127.0.0.0/8"]] as const) {
      await using aws = await Box.open();
      await using proxy = new FakeProxy();
      const { code, stderr } = await runCloud(aws, ["list-endpoints"], {
        env: { HTTP_PROXY: `http://${proxy.host}`, [name]: value },
      });
      assertEquals([code, stderr, proxy.heads], [0, "", []]);
    }
  });

  it("say that its address is none, and do not show it", async () => {
    for (const name of ["https_proxy", "HTTP_PROXY", "ALL_PROXY"]) {
      for (const address of ["ftp://jo:open-sesame@proxy", "jo:open-sesame@proxy:port"]) {
        await using aws = await Box.open();
        const { code, stderr } = await runCloud(aws, ["list-endpoints"], {
          env: { [name]: address },
        });
        assertEquals([code, stderr], [
          1,
          `error: ${name} does not contain a valid proxy address\n` +
          `hint: Set ${name} to an address such as http://proxy:3128\n`,
        ]);
      }
    }
  });
});
