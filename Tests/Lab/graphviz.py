#!/usr/bin/env python3
"""Draws a graph with Graphviz, and tells what one can read in the picture.

    graphviz.py FILE.dot      prints a line of JSON: `texts` of the picture, `complaints` of Graphviz

Exit codes: 0 if Graphviz drew it; 1 if not; 2 if there is no Graphviz.
"""
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree


def main():
    if not shutil.which("dot"):
        return 2
    done = subprocess.run(["dot", "-Tsvg", sys.argv[1]], capture_output=True)
    complaints = done.stderr.decode("utf-8", "replace")
    texts = []
    if done.returncode == 0:
        # Spaces come as those that do not break.
        texts = ["".join(element.itertext()).replace("\u00a0", " ")
                 for element in tree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}text")]
    print(json.dumps({"texts": texts, "complaints": complaints}))
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
