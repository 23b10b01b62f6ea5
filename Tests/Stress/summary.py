#!/usr/bin/env python3
"""Sums the file of results up into the tables of docs/reliability.md.

    summary.py [--results FILE] [--commit COMMIT[,COMMIT]] [--write]

Prints the tables; --write puts them into the page. Runs of all commits count unless some are named. A test that failed
is shown with its failures, however many later runs went well: remove its lines when what they found is fixed.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def rows(lines, is_fuzz):
    tests = {}
    for line in lines:
        if line["test"].startswith("fuzz/") != is_fuzz:
            continue
        row = tests.setdefault(line["test"], {"rounds": 0, "failures": 0, "commits": [], "dates": set(), "more": {}})
        row["rounds"] += line["rounds"]
        row["failures"] += line["failures"]
        if line["commit"] not in row["commits"]:
            row["commits"].append(line["commit"])
        row["dates"].add(line["date"][:10])
        for key, value in line.items():
            if key in ("date", "commit", "seed", "test", "rounds", "failures", "seconds"):
                continue
            largest = is_fuzz or key.endswith("-s")
            row["more"][key] = max(row["more"].get(key, 0), value) if largest else row["more"].get(key, 0) + value
    return tests


def tables(lines):
    text = ["| test | rounds | failures | of that | commits | last run |", "| --- | ---: | ---: | --- | --- | --- |"]
    for name, row in rows(lines, False).items():
        more = ", ".join(f"{value} {key}" for key, value in row["more"].items())
        text.append(f"| `{name}` | {row['rounds']} | {row['failures']} | {more} | "
                    f"{', '.join(row['commits'])} | {max(row['dates'])} |")
    text += ["", "| decoder | inputs | failures | edges | memory, MB | commits | last run |",
             "| --- | ---: | ---: | ---: | ---: | --- | --- |"]
    for name, row in rows(lines, True).items():
        text.append(f"| `{name.removeprefix('fuzz/')}` | {row['rounds']:,} | {row['failures']} | "
                    f"{row['more'].get('edges', 0)} | {row['more'].get('mb', 0)} | {', '.join(row['commits'])} | "
                    f"{max(row['dates'])} |")
    return "\n".join(text)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--results", default=str(ROOT / ".build-stress/results.jsonl"))
    p.add_argument("--commit", default="")
    p.add_argument("--write", action="store_true")
    options = p.parse_args()
    lines = [json.loads(line) for line in open(options.results)]
    wanted = [c for c in options.commit.split(",") if c]
    lines = [l for l in lines if not wanted or l["commit"] in wanted]
    text = tables(lines)
    if not options.write:
        print(text)
        return
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
