// What all screens share: finding and making elements, numbers for people, requests to this origin.
"use strict";
window.page = (() => {
  const known = (n) => n !== undefined && n !== null;
  const svgSpace = "http://www.w3.org/2000/svg";
  const filled = (element, attributes, text) => {
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (known(text)) element.textContent = text;
    return element;
  };
  return {
    find: (id) => document.getElementById(id),
    made: (name, text, attributes) => filled(document.createElement(name), attributes, text),
    drawn: (name, attributes, text) => filled(document.createElementNS(svgSpace, name), attributes, text),
    bytes: (n) => (!known(n) ? "" : n < 1e3 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`),
    count: (n) => (known(n) ? n.toLocaleString("en") : ""),
    rate: (n, seconds) => (known(n) && seconds ? (n / seconds).toLocaleString("en", { maximumFractionDigits: 1 }) : ""),
    seconds: (n) => (known(n) ? `${n.toFixed(2)} s` : ""),
    get: async (path) => (await fetch(path)).json(),
    post: async (path, data) => {
      const headers = { "content-type": "application/json", "x-xylem-token": document.body.dataset.token };
      return (await fetch(path, { method: "POST", headers, body: JSON.stringify(data || {}) })).json();
    },
  };
})();
