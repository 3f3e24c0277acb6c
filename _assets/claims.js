// Answers the form above the ledger of claims (claims.py); without this all rows are shown. What is chosen is part of
// the address, as an explorer's setting is: #ledger:article=a,verdict=wrong,words=arcsine
(() => {
  const form = document.getElementById("ledger");
  const rows = [...document.querySelectorAll(".claim")];
  const texts = rows.map((row) => row.textContent.toLowerCase()); // before formulas are set: their source can be found
  form.classList.add("claim-ready");

  function show() {
    const chosen = new FormData(form);
    const verdicts = chosen.getAll("verdict");
    const wanted = chosen.get("words").toLowerCase().split(/\s+/);
    rows.forEach((row, n) => {
      row.hidden = !(
        row.id.startsWith(`claim-${chosen.get("article")}`) &&
        (!verdicts.length || verdicts.some((name) => row.classList.contains(`claim-${name}`))) &&
        wanted.every((word) => texts[n].includes(word))
      );
    });
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("[role=status]").textContent = `${shown} of ${rows.length} claims`;
    return new URLSearchParams([...chosen].filter(([, value]) => value));
  }

  function choose() {
    const chosen = show().toString().replaceAll("&", ",");
    history.replaceState(history.state, "", chosen ? `#ledger:${chosen}` : location.pathname + location.search);
  }

  function follow() {
    const [id, chosen] = location.hash.slice(1).split(":");
    const row = document.getElementById(id);
    if (id && id !== "ledger" && !row?.hidden) return; // a plain address, to which one may come back, shows all
    const wanted = new URLSearchParams((chosen ?? "").replaceAll(",", "&"));
    for (const box of form.querySelectorAll("[type=radio], [type=checkbox]"))
      box.checked = wanted.getAll(box.name).includes(box.value) || (!box.value && !wanted.has(box.name));
    form.words.value = wanted.get("words") ?? "";
    show();
    row?.scrollIntoView();
  }

  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(choose)); // when the fields are empty
  addEventListener("hashchange", follow);
  show(); // browsers keep what was chosen over a reload
  follow();
})();
