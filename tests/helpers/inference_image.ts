/** An image that serves as AWS's inference images do, and code for it. */

/**
 * In the place of AWS's inference toolkit (`deno task test:toolkits` has the real one): it runs what the
 * variables name, in the model's code, and answers with what that says.
 */
const SERVE = `#!/usr/bin/env python3
import http.server, importlib, os, signal, subprocess, sys
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
code = os.environ.get("SAGEMAKER_SUBMIT_DIRECTORY", "/nowhere")
asked = os.path.join(code, "requirements.txt")
if os.path.exists(asked):
    subprocess.check_call([sys.executable, "-m", "pip", "install", "--quiet", "-r", asked], cwd=code)
sys.path.insert(0, code)
path = "/opt/ml/model"
model = {"predict": lambda body, headers: b"no code: " + " ".join(sorted(os.listdir(path) if os.path.isdir(path) else [])).encode()}
if "SAGEMAKER_PROGRAM" in os.environ:
    model = vars(importlib.import_module(os.environ["SAGEMAKER_PROGRAM"][:-3]))
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self): self.answer(b"")
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(model["predict"](body, self.headers))
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
`;

/** Code of the user's own. */
export const INFERENCE = `
import os
import neighbour
def predict(body, headers):
    words = [neighbour.NAME, open("/opt/ml/model/weights").read(), os.environ["SAGEMAKER_REGION"],
             str(sorted(os.listdir("/opt/ml/model"))), headers.get("X-Amzn-SageMaker-Target-Model", "")]
    return " ".join(words).encode()
`;

/** The files that the image is built of. */
export function inferenceImage(
  base: string,
): { readonly Dockerfile: string; readonly serve: string } {
  return {
    Dockerfile: `FROM ${base}\nCOPY serve /usr/local/bin/serve\n` +
      "RUN chmod 755 /usr/local/bin/serve\nENV PIP_BREAK_SYSTEM_PACKAGES=1\n",
    serve: SERVE,
  };
}
