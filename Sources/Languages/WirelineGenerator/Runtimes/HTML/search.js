// SPDX-License-Identifier: Apache-2.0

// The search of a page of documentation. The page is well-formed XML, so there is no less-than sign and no ampersand in the region.

// #region script
(function () {
    "use strict";
    const form = document.getElementById("search");
    const query = document.getElementById("query");
    const found = document.getElementById("found");
    const introduction = document.getElementById("introduction");
    const all = (element, selector) => Array.from(element.querySelectorAll(selector));
    const entries = all(document, "[data-entry]").map(function (element) {
        const number = element.dataset.number || "";
        const words = all(element, ".word").map((word) => word.textContent.toLowerCase());
        const hex = number === "" ? "" : BigInt(number).toString(16);
        return { element: element, number: number, hex: hex, words: words };
    });
    const rows = all(document, "[data-for]");
    const groups = all(document, "main section").filter((section) => section !== introduction);
    const tables = all(document, "main section table.index, main section table.values");

    function matchesNumber(entry, token) {
        if (entry.number === "") { return false; }
        if (entry.number.startsWith(token)) { return true; }
        if (/^0x[0-9a-f]+$/.test(token) === false) { return token === entry.hex; }
        const digits = BigInt(token).toString(16);
        return token === "0x0" ? entry.hex === "0" : entry.hex.startsWith(digits);
    }

    function matches(entry, token) {
        return entry.words.some((word) => word.includes(token)) || matchesNumber(entry, token);
    }

    function show() {
        const tokens = query.value.toLowerCase().split(/\s+/).filter((token) => token !== "");
        let count = 0;
        for (const entry of entries) {
            const isFound = tokens.every((token) => matches(entry, token));
            entry.element.hidden = isFound === false;
            if (isFound) { count += 1; }
        }
        for (const row of rows) { row.hidden = document.getElementById(row.dataset.for).hidden; }
        for (const table of tables) {
            table.hidden = all(table, "tbody tr").every((row) => row.hidden);
        }
        for (const group of groups) {
            const parts = all(group, "[data-entry]");
            group.hidden = parts.every((part) => part.hidden);
        }
        const isSearching = tokens.length !== 0;
        introduction.hidden = isSearching;
        found.textContent = isSearching ? (count === 1 ? "1 found" : count + " found") : "";
    }

    // A link must lead to what it names, whatever was searched for.
    function reveal(hash) {
        const target = document.getElementById(decodeURIComponent(hash.slice(1)));
        if (target === null) { return; }
        if (target.closest("[hidden]") === null) { return; }
        query.value = "";
        show();
        target.scrollIntoView();
    }

    function isTyping(element) { return /^(input|textarea|select)$/i.test(element.tagName); }

    query.addEventListener("input", show);
    form.addEventListener("submit", function (event) {
        event.preventDefault();
        const first = entries.find((entry) => entry.element.hidden === false);
        if (first === undefined) { return; }
        first.element.scrollIntoView();
        const link = first.element.querySelector("a");
        if (link !== null) { link.focus({ preventScroll: true }); }
    });
    document.addEventListener("keydown", function (event) {
        if (event.ctrlKey || event.metaKey || event.altKey) { return; }
        if (event.key === "Escape") {
            query.value = "";
            show();
        } else if (event.key === "/") {
            if (isTyping(event.target)) { return; }
            event.preventDefault();
            query.focus();
            query.select();
        }
    });
    document.addEventListener("click", function (event) {
        const link = event.target.closest("a");
        if (link !== null) { reveal(link.hash); }
    });
    window.addEventListener("hashchange", () => reveal(location.hash));
    form.hidden = false;
    query.value = new URLSearchParams(location.search).get("q") || "";
    if (query.value !== "") { show(); }
})();
// #endregion
