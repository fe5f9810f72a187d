import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Creates a self-signed certificate for this machine in a folder. */
export function selfSigned(folder: string): { readonly certFile: string; readonly keyFile: string } {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=nats";
  const options = [
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
    "-keyout",
    keyFile,
    "-out",
    certFile,
  ];
  execFileSync("openssl", [...request.split(" "), ...options], { stdio: "ignore" });
  return { certFile, keyFile };
}
