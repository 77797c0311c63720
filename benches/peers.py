#!/usr/bin/env python3
"""Runs gen-tools and other converters from OpenAPI to MCP on the same documents, in turn.

    benches/peers.py [--install] [--runs N] [--folder DIR] GEN_TOOLS SPEC...

Prints a Markdown table: the least CPU time and the peak memory of N runs of each. Nothing is
downloaded unless `--install` is given: then the others come from npm, PyPI and crates.io into DIR
(target/peers by default). What is not installed is left out.

A generator is measured from start to end; a server until it has answered `tools/list`, or, where it
speaks HTTP alone, until it listens.
"""

import argparse
import json
import os
import pathlib
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

TIMEOUT = 300

FASTMCP = """
import asyncio, json, sys, httpx, fastmcp
with open(sys.argv[1]) as file:
    if sys.argv[1].endswith(".json"):
        spec = json.load(file)
    else:
        import yaml
        spec = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
client = httpx.AsyncClient(base_url="https://example.com")
server = fastmcp.FastMCP.from_openapi(openapi_spec=spec, client=client)
async def tools():
    async with fastmcp.Client(server) as asked:
        return await asked.list_tools()
print(len(asyncio.run(tools())))
"""


def install(folder):
    """Installs the others below `folder`."""
    npm = ["npm", "install", "--silent", "--prefix", folder / "node"]
    subprocess.run([*npm, "openapi-mcp-generator", "@ivotoby/openapi-mcp-server"], check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    subprocess.run([folder / "venv/bin/pip", "install", "--quiet", "fastmcp", "httpx", "pyyaml"], check=True)
    subprocess.run(["cargo", "install", "--root", folder / "cargo", "rmcp-openapi-server"], check=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def peers(gen_tools, folder):
    """Each tool's name, its program, and its command and kind for a document."""
    bin_folder = folder / "node/node_modules/.bin"
    generator = bin_folder / "openapi-mcp-generator"
    ivotoby = bin_folder / "openapi-mcp-server"
    python = folder / "venv/bin/python"
    rmcp = folder / "cargo/bin/rmcp-openapi-server"

    def of_rmcp(spec, _):
        port = free_port()
        return [rmcp, spec, "--base-url", "https://example.com", "--port", str(port)], port

    yield "gen-tools", gen_tools, lambda spec, _: ([gen_tools, "--quiet", "--keep-going", spec], "run")
    yield (
        "openapi-mcp-generator",
        generator,
        lambda spec, out: ([generator, "--input", spec, "--output", out, "--force"], "run"),
    )
    yield (
        "@ivotoby/openapi-mcp-server",
        ivotoby,
        lambda spec, _: (
            [ivotoby, "--api-base-url", "https://example.com", "--openapi-spec", spec, "--tools", "all"],
            "stdio",
        ),
    )
    yield "fastmcp", python, lambda spec, _: ([python, "-c", FASTMCP, spec], "run")
    yield "rmcp-openapi", rmcp, of_rmcp


def converse(process):
    """Asks a server on standard input for its tools; whether it answers."""
    requests = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "peers", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    try:
        process.stdin.write("".join(json.dumps(request) + "\n" for request in requests).encode())
        process.stdin.flush()
    except BrokenPipeError:
        return False
    answer, end = b"", time.monotonic() + TIMEOUT
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < end:
            if not ready.select(1):
                continue
            part = os.read(process.stdout.fileno(), 1 << 20)
            if not part:
                return False
            answer += part
            while b"\n" in answer:
                line, answer = answer.split(b"\n", 1)
                if b'"id":2' in line[-40:] or b'"id":2' in line[:40]:
                    return b'"tools"' in line
    return False


def listens(port, process):
    """Waits until a server listens; whether it does."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end and not has_ended(process):
        try:
            with socket.create_connection(("127.0.0.1", port), 0.1):
                return True
        except OSError:
            time.sleep(0.02)
    return False


def has_ended(process):
    """Whether a process has ended; what it used can still be asked for, as it can't after `poll`."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def run(command, kind):
    """CPU seconds and peak MiB of one run; None if it failed."""
    server = kind != "run"
    process = subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.PIPE if kind == "stdio" else subprocess.DEVNULL,
        stdout=subprocess.PIPE if kind == "stdio" else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    done = True
    if kind == "stdio":
        done = converse(process)
    elif server:
        done = listens(kind, process)
    if server:
        os.kill(process.pid, signal.SIGKILL)
    else:
        signal.alarm(TIMEOUT)
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except TimeoutError:
        process.kill()
        os.wait4(process.pid, 0)
        return None
    finally:
        signal.alarm(0)
    process.returncode = status
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    failed = not server and os.waitstatus_to_exitcode(status) != 0
    if failed or not done:
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def expire(*_):
    raise TimeoutError


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--install", action="store_true", help="download the others first")
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/peers"))
    arguments.add_argument("gen_tools", type=pathlib.Path)
    arguments.add_argument("specs", type=pathlib.Path, nargs="*")
    given = arguments.parse_args()
    signal.signal(signal.SIGALRM, expire)
    folder = given.folder.absolute()
    if given.install:
        install(folder)
    tools = [peer for peer in peers(given.gen_tools.absolute(), folder) if peer[1].exists()]
    print("| document | tool | CPU, s | peak, MiB | CPU, times gen-tools' |")
    print("|---|---|---:|---:|---:|")
    for spec in given.specs:
        results = {name: [] for name, _, _ in tools}
        for _ in range(given.runs):
            for name, _, command in tools:
                with tempfile.TemporaryDirectory() as out:
                    results[name].append(run(*command(spec.absolute(), out)))
        own = None
        for name, runs in results.items():
            finished = [result for result in runs if result]
            if not finished:
                print(f"| {spec.name} | {name} | failed | | |")
                continue
            cpu = min(result[0] for result in finished)
            own = own or cpu
            peak = max(result[1] for result in finished)
            print(f"| {spec.name} | {name} | {cpu:.3f} | {peak:.0f} | {cpu / own:.1f} |", flush=True)


if __name__ == "__main__":
    main()
