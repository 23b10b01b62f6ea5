#!/usr/bin/env python3
"""The tests that failed in a run, as a regular expression for `--filter`.

    failed_tests.py --at-most N LOG XML ...

Exits 1 and says why if they cannot be told, or if there are more than N: after a crash, after a failure of the build, and where
something failed that is no test.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

# The last line of a run that came to its end.
ENDED = re.compile(rb"^\xe2\x9c\x98 Test run with \d+ tests? ", re.M)


def failed(path):
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            yield case.get("classname", ""), case.get("name", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-most", type=int, required=True)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("xml", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    if not ENDED.search(arguments.log.read_bytes()):
        sys.exit("== the run did not come to its end")
    try:
        names = sorted({name for path in arguments.xml for name in failed(path)})
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"== which tests failed is not known: {error}")
    if not names:
        sys.exit("== no test failed, and the run did")
    if len(names) > arguments.at_most:
        sys.exit(f"== {len(names)} tests failed: none is run once more")
    print("|".join(f"^{re.escape(suite)}/{re.escape(name.split('(')[0])}[(]" for suite, name in names))


main()
