"use strict";
(() => {
	/* Rows that belong together: a pool and its account, else a row alone. */
	const units = table => table.tFoot ? [...table.tBodies] : [...table.tBodies[0].rows];
	const row = unit => unit.rows ? unit.rows[0] : unit;

	/* A number that is not in the text as it is has its exact value beside it. */
	function key(unit, column) {
		const cell = row(unit).cells[column], text = cell.textContent.trim();
		if (cell.dataset.v || (cell.tagName === "TD" && /^-?\d+(\.\d+)?$/.test(text)))
			return Number(cell.dataset.v || text);
		return text === "" || text === "-" ? -Infinity : text.toLowerCase();
	}

	function compare(a, b) {
		if (typeof a === typeof b)
			return typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a < b ? -1 : a > b ? 1 : 0;
		return typeof a === "string" ? 1 : -1;
	}

	function sort(table, head) {
		const column = head.cellIndex;
		const keyed = units(table).map(unit => [key(unit, column), unit]);
		const totals = keyed.filter(pair => row(pair[1]).classList.contains("total"));
		const others = keyed.filter(pair => !totals.includes(pair));
		/* Names begin with A, numbers with the largest; then the other way round. */
		const last = head.getAttribute("aria-sort");
		const text = others.some(pair => typeof pair[0] === "string");
		const order = (last ? last === "descending" : text) ? "ascending" : "descending";
		others.sort((a, b) => (order === "ascending" ? 1 : -1) * compare(a[0], b[0]));
		for (const other of head.parentNode.cells)
			other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", order);
		table.classList.add("sorted");
		const place = table.tFoot ? table : table.tBodies[0];
		place.append(...others.concat(totals).map(pair => pair[1]));
		if (table.tFoot)
			table.append(table.tFoot);
	}

	function filter(table, input, count) {
		const wanted = input.value.toLowerCase();
		const all = units(table);
		let shown = 0;
		for (const unit of all) {
			unit.hidden = !row(unit).textContent.toLowerCase().includes(wanted);
			shown += !unit.hidden;
		}
		count.textContent = wanted ? ` ${shown} of ${all.length}` : "";
	}

	function prepare(table) {
		for (const head of table.tHead.rows[0].querySelectorAll("th:not(.chart)")) {
			const button = document.createElement("button");
			button.type = "button";
			button.append(...head.childNodes);
			button.addEventListener("click", () => sort(table, head));
			head.append(button);
		}
		const label = document.createElement("label");
		const input = document.createElement("input");
		const count = document.createElement("output");
		label.className = "filter";
		input.type = "search";
		input.addEventListener("input", () => filter(table, input, count));
		label.append("Filter ", input, count);
		table.parentNode.before(label);
	}

	/* What a browser shows of a <title> after a while, at once. */
	function hover() {
		const tip = document.createElement("div");
		tip.className = "tip";
		tip.hidden = true;
		document.body.append(tip);
		document.addEventListener("pointermove", event => {
			const shape = event.target.closest("svg *");
			const title = shape && (shape.querySelector("title") || shape.parentNode.querySelector(":scope > title"));
			const text = title ? title.textContent : shape && shape.dataset ? shape.dataset.tip : null;
			if (title) {
				shape.dataset.tip = title.textContent;
				shape.setAttribute("aria-label", title.textContent);
				title.remove();
			}
			tip.hidden = !text;
			if (!text)
				return;
			tip.textContent = text;
			tip.style.left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4) + "px";
			tip.style.top = event.clientY + 16 + "px";
		});
	}

	/* What is opened first is prepared first: a page of many rows is there at once. */
	for (const table of document.querySelectorAll("table.sortable")) {
		const details = table.closest(".all > details");
		if (!details || details.open)
			prepare(table);
		else
			details.addEventListener("toggle", () => prepare(table), {once: true});
	}
	hover();
})();
