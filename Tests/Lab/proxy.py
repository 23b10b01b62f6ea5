#!/usr/bin/env python3
"""Tries docs/proxy/nginx.conf: the page of house_mock.py, or of another server, through nginx with TLS.

    proxy.py [--upstream PORT --token TOKEN --light NAME]

nginx runs as the user who calls this, with the file as it is but for names, ports and paths, and with a certificate of its own making.
It prints a line for each fact, `ok FACT` or `FAILED FACT: why`, and exits 1 if one failed.
"""
import argparse
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from browser import Browser, Failure

HERE = pathlib.Path(__file__).resolve().parent
CONFIGURATION = HERE.parents[1] / "docs/proxy/nginx.conf"
PLAIN, SECURE, MOCK = 8465, 8466, 8464


def wait_for(port):
    end = time.monotonic() + 20
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if time.monotonic() > end:
            raise Failure(f"nothing listens on port {port}")
        time.sleep(0.05)


def configuration(folder, upstream):
    """The file with our ports and paths; each of these has to be in it."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    for old, new in [
        ("listen [::]:80;", ""), ("listen [::]:443 ssl;", ""), ("listen 80;", f"listen 127.0.0.1:{PLAIN};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{SECURE} ssl;"), ("server_name house.example;", "server_name localhost;"),
        ("https://house.example/", f"https://localhost:{SECURE}/"),
        ("/etc/ssl/house.example/fullchain.pem", f"{folder}/certificate.pem"), ("/etc/ssl/house.example/key.pem", f"{folder}/key.pem"),
        ("/var/log/nginx/house.log", f"{folder}/access.log"), ("http://127.0.0.1:8123", f"http://127.0.0.1:{upstream}"),
    ]:
        if old not in text:
            raise Failure(f"nginx.conf has no '{old}'")
        text = text.replace(old, new)
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"""
daemon off;
pid {folder}/pid;
worker_processes 1;
error_log {folder}/error.log info;
events {{ worker_connections 64; }}
http {{
{paths}{text}
}}
"""


def ask(path, headers=None, secure=True):
    if secure:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("localhost", SECURE, timeout=20, context=context)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", PLAIN, timeout=20)
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode()


def facts(browser, token, light, stop, folder):
    def plain():
        status, headers, _ = ask(f"/ws/{token}", secure=False)
        return (status, headers["Location"]) == (301, f"https://localhost:{SECURE}/")

    def page():
        status, headers, text = ask("/")
        return status == 200 and "default-src 'none'" in headers["Content-Security-Policy"] and "max-age" in headers["Strict-Transport-Security"] \
            and "<title>" in text

    def document():
        wrong, _, _ = ask("/house", {"Authorization": "Bearer not-the-token"})
        right, _, _ = ask("/house", {"Authorization": f"Bearer {token}"})
        return (wrong, right) == (401, 200)

    def live():
        browser.open(f"https://localhost:{SECURE}/")
        browser.log_in(token)
        browser.wait_text("Live")
        before = browser.state(light)["checked"]
        browser.click(light, "switch")
        browser.wait(f"[...document.querySelectorAll('[role=switch]')].some((one) => one.getAttribute('aria-label') === {light!r} && "
                     f"one.ariaChecked !== '{before}' && one.dataset.pending !== 'true')", "the report")
        return not browser.complaints

    def lost():
        stop()
        browser.wait_text("Trying again in")
        status, _, _ = ask(f"/ws/{token}")
        return status == 502

    def secret():
        logs = {path.name: path.read_text(errors="replace") for path in pathlib.Path(folder).glob("*.log")}
        if not re.search(r" GET 101 ", logs["access.log"]):
            raise Failure(f"the connection is not in the log: {logs}")
        return not any(token in text for text in logs.values())

    return [
        ("without TLS only the way to the page with TLS is told", plain), ("the page comes through, with its headers", page),
        ("documents ask for the token", document), ("the page logs in and switches", live),
        ("a server that is gone is told", lost), ("the token is in no log of nginx", secret),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream", type=int)
    parser.add_argument("--token", default="the-secret-token")
    parser.add_argument("--light", default="Lamp")
    arguments = parser.parse_args()
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if not nginx:
        sys.exit("no nginx: apt-get install nginx-light")
    failed = False
    with tempfile.TemporaryDirectory(prefix="matterctl-proxy.") as folder, contextlib.ExitStack() as stack:
        # Workers of root are another user.
        os.chmod(folder, 0o755)
        subprocess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"], check=True, capture_output=True)
        mock = None
        if not arguments.upstream:
            mock = subprocess.Popen([sys.executable, str(HERE / "house_mock.py"), "--port", str(MOCK), "--token", arguments.token])
            stack.callback(mock.kill)
            wait_for(MOCK)
        file = pathlib.Path(folder) / "nginx.conf"
        file.write_text(configuration(folder, arguments.upstream or MOCK), encoding="utf-8")
        proxy = subprocess.Popen([nginx, "-p", folder, "-c", str(file)], stderr=subprocess.PIPE, text=True)
        stack.callback(lambda: (proxy.terminate(), proxy.wait(20)))
        try:
            wait_for(SECURE)
        except Failure:
            proxy.terminate()
            sys.exit(f"nginx does not start: {proxy.stderr.read()}")
        browser = stack.enter_context(Browser(options=["--ignore-certificate-errors"]))

        def stop():
            if mock:
                mock.terminate()
                mock.wait(20)

        for words, check in facts(browser, arguments.token, arguments.light, stop, folder):
            if arguments.upstream and words.startswith("a server that is gone"):
                continue
            try:
                if not check():
                    raise Failure(f"it is not so; the browser complains of {browser.complaints}")
                print(f"ok {words}", flush=True)
            except (Failure, OSError, http.client.HTTPException) as error:
                failed = True
                print(f"FAILED {words}: {error}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
