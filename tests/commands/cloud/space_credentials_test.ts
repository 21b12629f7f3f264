import { assertEquals, assertStringIncludes } from "@std/assert";
import { ACCOUNT } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import {
  denoDirectory,
  killedAfter,
  programCommand,
  type ProgramResult,
  resultOf,
} from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const KEY = {
  id: "ASIASPACESPACESPACE01",
  secret: "space-secret-that-nobody-may-see-0000005",
  token: "space-token-that-nobody-may-see-00000006",
  user: `arn:aws:sts::${ACCOUNT}:assumed-role/space-role/SageMaker`,
};

/**
 * Runs a program on a network of its own, on which credentials are where containers of AWS find them:
 * at a path of 169.254.170.2. What else it asks for is on a port of the machine outside, by a socket.
 */
const SPACE = `
import fcntl, http.server, json, os, socket, struct, subprocess, sys, threading

path, answer, port, out, *command = sys.argv[1:]

def interface(request, name, data):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, request, struct.pack("16s16s", name, data))

interface(0x8914, b"lo", struct.pack("H", 0x1))  # SIOCSIFFLAGS: IFF_UP
address = struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton("169.254.170.2"))
interface(0x8916, b"lo:1", address)  # SIOCSIFADDR

class Credentials(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == path else 404)
        self.end_headers()
        self.wfile.write(answer.encode() if self.path == path else b"")
    def log_message(self, *_): pass

server = http.server.ThreadingHTTPServer(("169.254.170.2", 80), Credentials)
threading.Thread(target=server.serve_forever, daemon=True).start()

def copy(source, target):
    while data := source.recv(65536): target.sendall(data)
    target.shutdown(socket.SHUT_WR)

def relay():
    listener = socket.create_server(("127.0.0.1", int(port)))
    listening.set()
    while True:
        here, _ = listener.accept()
        there = socket.socket(socket.AF_UNIX)
        there.connect(out)
        threading.Thread(target=copy, args=(here, there), daemon=True).start()
        threading.Thread(target=copy, args=(there, here), daemon=True).start()

listening = threading.Event()
threading.Thread(target=relay, daemon=True).start()
listening.wait()
sys.exit(subprocess.run(command).returncode)
`;

/** Passes connections on a socket on to a port of this machine. */
function passingOn(socket: string, port: number): AsyncDisposable {
  const listener = Deno.listen({ transport: "unix", path: socket });
  const serve = async (): Promise<void> => {
    const open: Promise<unknown>[] = [];
    for await (const here of listener) {
      const there = await Deno.connect({ hostname: "127.0.0.1", port });
      open.push(Promise.allSettled([
        here.readable.pipeTo(there.writable),
        there.readable.pipeTo(here.writable),
      ]));
    }
    await Promise.all(open);
  };
  const serving = serve();
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      await serving;
    },
  };
}

/** Lists endpoints in a space, whose credentials are at a path. */
async function list(aws: Box, path: string): Promise<ProgramResult> {
  await using directory = await makeDirectory();
  const socket = `${directory.path}/aws`;
  const { port } = new URL(aws.url);
  await using _passing = passingOn(socket, Number(port));
  const answer = JSON.stringify({
    RoleArn: `arn:aws:iam::${ACCOUNT}:role/space-role`,
    AccessKeyId: KEY.id,
    SecretAccessKey: KEY.secret,
    Token: KEY.token,
    Expiration: "2099-01-01T00:00:00Z",
  });
  const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...env } = aws.env();
  const child = new Deno.Command("unshare", {
    args: [
      ...["--net", "--", "python3", "-c", SPACE, "/space/credentials", answer, port, socket],
      ...programCommand(["list-endpoints"]),
    ],
    cwd: directory.path,
    env: {
      ...env,
      PATH: Deno.env.get("PATH")!,
      DENO_DIR: denoDirectory(),
      DENO_NO_UPDATE_CHECK: "1",
      HOME: directory.path,
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path,
    },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return await resultOf(killedAfter(60_000, child));
}

// Root alone makes networks.
if (Deno.uid() === 0) {
  suite("the credentials of a space of SageMaker Studio", () => {
    it("are taken from where it has them, in its region, without being told", async () => {
      await using aws = await Box.open();
      aws.keys.set(KEY.id, KEY);
      aws.endpoints.add("churn");
      const { code, stdout, stderr } = await list(aws, "/space/credentials");
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertStringIncludes(stdout, "churn");
      assertEquals(aws.operations, ["sagemaker:ListEndpoints"]);
    });

    it("are said to be missing where it has none, without anything secret", async () => {
      await using aws = await Box.open();
      const { code, stdout, stderr } = await list(aws, "/elsewhere");
      assertEquals({ code, stdout }, { code: 1, stdout: "" });
      assertStringIncludes(stderr, "error: No AWS credentials found");
      assertEquals(aws.operations, []);
    });
  });
}
