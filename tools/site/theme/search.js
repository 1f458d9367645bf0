/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists the sections that contain all words of the query, those with the words in their headings first. */
const query = document.querySelector("input[type=search]"), found = document.getElementById("found"), most = 30;

/* The list of sections is large, so it is loaded when it is first needed; a script can also be loaded from a file. */
function withSections(show) {
  if (typeof sections !== "undefined")
    return show();
  const script = document.createElement("script");
  script.src = query.dataset.base + "/sections.js";
  script.onload = show;
  document.head.append(script);
}

function rank(section, words) {
  const [, title, heading, text] = section.map((part) => part.toLowerCase());
  const count = (part) => words.filter((word) => part.includes(word)).length;
  return words.every((word) => (title + heading + text).includes(word)) ? 1 + 9 * count(heading) + 3 * count(title) : 0;
}

function search() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length ? sections.map((section) => [rank(section, words), section]).filter(([points]) => points) : [];
  hits.sort(([a], [b]) => b - a);
  found.replaceChildren(...hits.slice(0, most).map(([, [address, title, heading]]) => {
    const link = document.createElement("a");
    link.href = query.dataset.base + "/" + address;
    link.textContent = heading === title ? title : title + ": " + heading;
    return link;
  }));
  if (words.length && !hits.length)
    found.textContent = "Nothing found";
}

query.addEventListener("input", () => withSections(search));
