// SPDX-License-Identifier: Apache-2.0

/// The style of the page: light or dark by the system's setting, for paper and narrow screens, too.
enum HTMLStyle {
    /// The style sheet. It contains no text from a schema, and no `<` or `&`, so the page is well-formed XML.
    static let text = """
        :root {
            color-scheme: light dark;
            --back: #fff; --raised: #f5f6f8; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
            --link: #0550ae; --field: #ddf4ff; --envelope: #eaeef2; --edge: #8c959f; --mark: #fff3c4;
            --fault: #b3152b;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --back: #14171c; --raised: #1d2229; --text: #e6e9ed; --quiet: #a3adb8; --line: #363d47;
                --link: #7cc0ff; --field: #16324d; --envelope: #2a313a; --edge: #6e7681; --mark: #4a3d10;
                --fault: #ff9a92;
            }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 7rem; }
        body {
            margin: 0; background: var(--back); color: var(--text); overflow-wrap: break-word;
            font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif;
        }
        header, main, .bar { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
        h1 { font-size: 2rem; line-height: 1.2; margin: 1.75rem 0 0.5rem; }
        h2 { font-size: 1.4rem; margin: 2.5rem 0 0.75rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
        h3 { font-size: 1.15rem; margin: 0 0 0.25rem; }
        h4 { font-size: 0.875rem; font-weight: 600; color: var(--quiet); margin: 0.75rem 0 0.25rem; }
        p { margin: 0.4rem 0; max-width: 48rem; }
        a { color: var(--link); }
        h3 a, nav a, .index a { text-decoration: none; }
        h3 a:hover, nav a:hover, .index a:hover { text-decoration: underline; }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        code { font-size: 0.92em; overflow-wrap: anywhere; }
        pre {
            margin: 0; padding: 0.6rem 0.75rem; background: var(--raised); border: 1px solid var(--line);
            border-radius: 6px; font-size: 0.8125rem; line-height: 1.45; overflow-x: auto;
        }
        pre.json, pre.digits, pre.written { white-space: pre-wrap; overflow-wrap: anywhere; }
        .line, small, caption { color: var(--quiet); }
        small { font-size: 0.875rem; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: 1rem; top: 0.5rem; background: var(--back); padding: 0.5rem; z-index: 2; }
        .bar { position: sticky; top: 0; z-index: 1; padding-block: 0.5rem; background: var(--back); border-bottom: 1px solid var(--line); }
        form { display: flex; align-items: center; gap: 0.75rem; margin-bottom: 0.4rem; }
        form[hidden] { display: none; }
        label { font-weight: 600; }
        input {
            flex: 1 1 auto; min-width: 0; max-width: 28rem; font: inherit; color: inherit; background: var(--raised);
            border: 1px solid var(--edge); border-radius: 6px; padding: 0.3rem 0.6rem;
        }
        output { color: var(--quiet); white-space: nowrap; }
        textarea, select, button {
            font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--edge); border-radius: 6px;
            padding: 0.3rem 0.6rem; max-width: 100%;
        }
        textarea { display: block; width: 100%; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.875rem; }
        textarea[aria-invalid="true"] { border-color: var(--fault); }
        button { cursor: pointer; }
        .try output { white-space: normal; overflow-wrap: anywhere; }
        .try .fault, .try tr.fault td { color: var(--fault); font-weight: 600; }
        .row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.75rem; max-width: none; }
        .quiet { color: var(--quiet); }
        .packet { border-top: 1px solid var(--line); padding-top: 0.25rem; }
        .editor { display: grid; gap: 0.5rem 2rem; border-top: 1px solid var(--line); margin-top: 1rem; }
        .editor > * { min-width: 0; }
        @media (min-width: 62rem) {
            .editor { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
            #made { position: sticky; top: 5.5rem; max-height: calc(100vh - 6rem); align-self: start; overflow: auto; }
        }
        #digits { max-height: 12rem; overflow: auto; }
        details { margin: 1rem 0; }
        summary { cursor: pointer; font-weight: 600; }
        fieldset { min-width: 0; margin: 0.5rem 0; padding: 0.1rem 0.75rem 0.5rem; border: 1px solid var(--line); border-radius: 6px; }
        legend { font-weight: 600; padding: 0 0.3rem; }
        .group > legend { color: var(--quiet); font-size: 0.875rem; }
        div.field { display: flex; flex-wrap: wrap; align-items: center; gap: 0.1rem 0.6rem; padding: 0.3rem 0.4rem; margin: 0 -0.4rem; border-radius: 6px; }
        .field .head { flex: 0 0 9rem; min-width: 0; overflow-wrap: anywhere; }
        .field > textarea { flex: 1 1 12rem; width: auto; }
        .field > input { flex: 0 1 14rem; }
        input[type="checkbox"] { flex: none; width: 1.1rem; height: 1.1rem; margin: 0 0.4rem 0 0; padding: 0; vertical-align: -0.15rem; }
        input[type="checkbox"].switch {
            appearance: none; position: relative; width: 2rem; border-radius: 1rem; background: var(--back);
        }
        .switch::before {
            content: ""; position: absolute; inset: 2px auto 2px 2px; width: 0.75rem; border-radius: 50%; background: var(--edge);
        }
        .switch:checked { background: var(--link); }
        .switch:checked::before { inset: 2px 2px 2px auto; background: var(--back); }
        #states { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1rem; }
        #states[hidden] { display: none; }
        #states .head { flex-basis: auto; }
        #states .hint { display: none; }
        .check { display: inline-flex; align-items: center; font-weight: 400; }
        .check input:not([type="checkbox"]) { width: 7rem; margin-left: 0.4rem; }
        .hint { flex: 1 1 100%; }
        .own { font-size: 0.8125rem; color: var(--quiet); }
        .field .fault { flex: 1 1 100%; margin: 0; }
        .field input[aria-invalid="true"], .field select[aria-invalid="true"] { border-color: var(--fault); }
        .marked { background: var(--mark); }
        #digits [data-path], #written tr { cursor: default; }
        #written td button { border: 0; padding: 0; background: none; color: var(--link); text-align: left; overflow-wrap: anywhere; }
        .parts td { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.8125rem; }
        .parts th:nth-child(1) { width: 4.5rem; }
        .parts th:nth-child(2) { width: 40%; }
        nav { display: flex; gap: 0.25rem 1.1rem; flex-wrap: wrap; }
        article {
            margin: 1rem 0; padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 8px;
            content-visibility: auto; contain-intrinsic-size: auto 30rem;
        }
        article:target, tr:target { background: var(--mark); }
        [hidden] { display: none; }
        .bytes { display: flex; flex-wrap: wrap; list-style: none; margin: 0.75rem 0; padding: 0 0 0 1px; gap: 3px 0; }
        .bytes li {
            flex: 1 0 auto; display: flex; flex-direction: column; min-width: 2.5rem; max-width: 100%; margin-left: -1px;
            padding: 0.1rem 0.45rem 0.2rem; border: 1px solid var(--edge); background: var(--field); line-height: 1.3;
        }
        .bytes i { font-style: normal; font-size: 0.75rem; color: var(--quiet); }
        .bytes b { font-weight: 600; font-size: 0.875rem; overflow-wrap: break-word; }
        .bytes span { font-size: 0.75rem; }
        .bytes .b2 { flex-grow: 2; } .bytes .b3 { flex-grow: 3; } .bytes .b4 { flex-grow: 4; }
        .bytes .b5, .bytes .b6, .bytes .b7 { flex-grow: 5; } .bytes .b8 { flex-grow: 6; }
        .bytes .envelope { background: var(--envelope); }
        .bytes .varies {
            flex-grow: 6; border-right-style: dashed; border-right-width: 2px;
            background-image: repeating-linear-gradient(135deg, transparent 0 6px, rgb(128 128 128 / 12%) 6px 9px);
        }
        .bytes .layer { flex: 1 1 100%; background: transparent; border-width: 2px; border-radius: 4px; }
        .bytes .layer > .bytes { margin: 0.25rem 0; }
        .bytes .absent { border-style: dashed; }
        table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; font-size: 0.9375rem; }
        caption { text-align: left; font-size: 0.8125rem; padding-bottom: 0.2rem; }
        th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); }
        th { font-size: 0.8125rem; color: var(--quiet); font-weight: 600; }
        tbody tr:last-child td { border-bottom: 0; }
        td { overflow-wrap: anywhere; }
        .facts { width: auto; }
        .fields th:nth-child(1) { width: 8rem; }
        .fields th:nth-child(2) { width: 7rem; }
        .fields th:nth-child(3) { width: 12rem; }
        .fields th:nth-child(4) { width: 11rem; }
        .values th:nth-child(1) { width: 12rem; }
        .values th:nth-child(2) { width: 14rem; }
        .index th:nth-child(1) { width: 11rem; }
        .index th:nth-child(2), .index th:nth-child(3) { width: 14rem; }
        @media (max-width: 46rem) {
            header, main, .bar { padding-inline: 0.75rem; }
            nav { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; }
            .bar label { position: absolute; left: -100rem; }
            article { padding: 0.75rem; }
            tr { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); border-bottom: 1px solid var(--line); padding: 0.25rem 0; }
            tr[hidden] { display: none; }
            tbody tr:last-child { border-bottom: 0; }
            th[scope]:nth-child(n) { width: auto; }
            th, td { border-bottom: 0; padding: 0 0.5rem 0 0; }
            td:empty { display: none; }
            .fields tr > :nth-child(1) { grid-row: 1; grid-column: 1; }
            .fields tr > :nth-child(2) { grid-row: 2; grid-column: 1; }
            .fields tr > :nth-child(3) { grid-row: 1; grid-column: 2; }
            .fields tr > :nth-child(4) { grid-row: 2; grid-column: 2; }
            .parts tr { grid-template-columns: 4rem minmax(0, 1fr); }
            .parts tr > :nth-child(n + 2) { grid-column: 2; }
            .index tr > :nth-child(1), .values tr > :nth-child(1) { grid-row: 1 / span 4; }
            .fields tr > :nth-child(5), .values tr > :nth-child(3), .index tr > :nth-child(n + 3) { grid-column: 2; }
        }
        @media print {
            .bar, .skip { display: none; }
            body { font-size: 10pt; }
            article { content-visibility: visible; break-inside: avoid-page; border-color: #999; }
            pre { white-space: pre-wrap; overflow-wrap: anywhere; }
            a { color: inherit; }
        }

        """
}
