import MatterController

/// A judgement as JUnit XML: a suite for each endpoint, a case for each of its clusters, and one for each failure.
///
/// Warnings and notes stand in `system-out` of their suite: CI shows them, and does not fail.
enum ConformJUnit {
    static func text(_ report: ConformanceReport, of title: String) -> String {
        let suites = suites(report, title)
        let cases = suites.reduce(0) { $0 + $1.cases }
        return
            ([
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                "<testsuites name=\"\(XMLText.attribute("conform \(title)"))\" tests=\"\(cases)\" "
                    + "failures=\"\(report.count(.failure))\" errors=\"0\">",
            ] + suites.flatMap(\.lines) + ["</testsuites>"]).joined(separator: "\n")
    }

    private struct Suite {
        var cases = 0
        var lines: [String] = []
    }

    private static func suites(_ report: ConformanceReport, _ title: String) -> [Suite] {
        var places: [EndpointID?] = report.endpoints.map { $0 }
        // Findings about the node, or about endpoints that did not answer.
        for finding in report.findings where !places.contains(finding.endpoint) { places.append(finding.endpoint) }
        return places.map { place in
            suite(
                place, report.clusters.filter { $0.endpoint == place }, report.findings.filter { $0.endpoint == place },
                title)
        }
    }

    private static func suite(
        _ endpoint: EndpointID?, _ clusters: [ConformanceReport.Cluster], _ findings: [ConformanceFinding],
        _ title: String
    ) -> Suite {
        let name = endpoint.map { "endpoint \($0)" } ?? "node"
        let group = XMLText.attribute("\(title).\(name)")
        let failures = findings.filter { $0.severity == .failure }
        let broken = Set(failures.compactMap(\.cluster))
        var body = clusters.filter { !broken.contains($0.cluster) }.map {
            "    <testcase classname=\"\(group)\" name=\"\(XMLText.attribute($0.name))\"/>"
        }
        for finding in failures {
            body += [
                "    <testcase classname=\"\(group)\" name=\"\(XMLText.attribute("\(finding.place): \(finding.rule)"))\">",
                "      <failure type=\"\(XMLText.attribute(finding.rule))\" message=\"\(XMLText.attribute(finding.text))\">"
                    + "\(XMLText.content("expected: \(finding.expected)\nfound: \(finding.found)"))</failure>",
                "    </testcase>",
            ]
        }
        // A suite without a case would say nothing.
        if clusters.isEmpty, failures.isEmpty {
            body.append("    <testcase classname=\"\(group)\" name=\"\(XMLText.attribute(name))\"/>")
        }
        let cases = body.count { $0.hasPrefix("    <testcase") }
        let others = findings.filter { $0.severity != .failure }.map {
            "\($0.severity.rawValue): \($0.place): \($0.rule): \($0.text) expected: \($0.expected); found: \($0.found)"
        }
        if !others.isEmpty {
            body.append("    <system-out>\(XMLText.content(others.joined(separator: "\n")))</system-out>")
        }
        let head =
            "  <testsuite name=\"\(group)\" tests=\"\(cases)\" failures=\"\(failures.count)\" errors=\"0\" skipped=\"0\">"
        return Suite(cases: cases, lines: [head] + body + ["  </testsuite>"])
    }
}
