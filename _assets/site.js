// Runs in the head of every page, before anything is drawn. Each part mends one thing that the theme leaves open.
(() => {
  const root = document.documentElement;

  // With no stored choice the theme starts without a mode: an error on the console and a moment without colours.
  root.dataset.mode ||= "auto";
  root.dataset.theme ||= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

  // Opened from a folder, a page may not read others, which search would do for its summaries.
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

  // A formula that scrolls must be reachable by keyboard, and only one that scrolls. (The theme sees to tables and code.)
  // Its size changes with the window's, and when the fold that it is in opens.
  const reach = new ResizeObserver(changes => changes.forEach(({ target: formula }) => {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
    else formula.removeAttribute("tabindex");
  }));
  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    await document.fonts.ready;  // until then other letters stand in, some of them wider
    document.querySelectorAll("mjx-container[display], span.math").forEach(formula => reach.observe(formula));
  });
})();
