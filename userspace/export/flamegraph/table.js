/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions: self, total and shares; sorted as one likes, a piece at a time. */
'use strict';

const ROWS_A_PIECE = 100;

class FunctionTable {
	/* @choose(name) is called when a function's name is clicked. */
	constructor(profile, body, more, choose) {
		this.profile = profile;
		this.body = body;
		this.more = more;
		this.choose = choose;
		this.sort = 'self';
		this.isDescending = true;
		more.addEventListener('click', () => this.addPiece());
		for (const button of document.querySelectorAll('[data-sort]'))
			button.addEventListener('click', () => this.sortBy(button.dataset.sort));
	}

	sortBy(sort) {
		this.isDescending = sort === this.sort ? !this.isDescending
			: sort === 'self' || sort === 'total';
		this.sort = sort;
		this.show(this.weights, this.isFound);
	}

	/* A function's value in the column that is sorted by. */
	key(fn) {
		switch (this.sort) {
		case 'self':
			return this.weights.functionSelf[fn];
		case 'total':
			return this.weights.functionTotal[fn];
		case 'kind':
			return this.profile.kind(fn);
		case 'file':
			return this.profile.place(fn);
		default:
			return this.profile.name(fn);
		}
	}

	/* Found functions come first. @isFound: a column, or null. */
	show(weights, isFound) {
		const sign = this.isDescending ? -1 : 1;
		const { functionTotal } = weights;
		const compare = (a, b) => (a < b ? -sign : a > b ? sign : 0);

		this.weights = weights;
		this.isFound = isFound;
		this.order = [];
		for (let fn = 0; fn < this.profile.functionCount; fn++)
			if (functionTotal[fn] > 0)
				this.order.push({ fn, key: this.key(fn), total: functionTotal[fn] });
		this.order.sort((a, b) => (isFound ? isFound[b.fn] - isFound[a.fn] : 0) ||
				compare(a.key, b.key) || b.total - a.total || a.fn - b.fn);
		this.body.replaceChildren();
		this.markSorted();
		this.addPiece();
	}

	markSorted() {
		for (const button of document.querySelectorAll('[data-sort]')) {
			const isSorted = button.dataset.sort === this.sort;
			const direction = this.isDescending ? 'descending' : 'ascending';

			button.parentElement.ariaSort = isSorted ? direction : 'none';
		}
	}

	addPiece() {
		const from = this.body.childElementCount;

		for (const { fn } of this.order.slice(from, from + ROWS_A_PIECE))
			this.body.append(this.row(fn));
		const left = this.order.length - this.body.childElementCount;
		this.more.hidden = left === 0;
		this.more.textContent = `Show more (${grouped(left)} left)`;
	}

	row(fn) {
		const { units } = this.profile;
		const { functionSelf, functionTotal, total } = this.weights;
		const row = document.createElement('tr');

		row.classList.toggle('found', Boolean(this.isFound && this.isFound[fn]));
		row.append(
			this.number(units.short(functionSelf[fn]), units.exact(functionSelf[fn])),
			this.number(percent(functionSelf[fn], total)),
			this.number(units.short(functionTotal[fn]), units.exact(functionTotal[fn])),
			this.number(percent(functionTotal[fn], total)),
			this.cell(this.profile.kind(fn), 'kind'),
			this.nameCell(fn),
			this.cell(this.profile.place(fn), 'file'));
		return row;
	}

	cell(text, style) {
		const cell = document.createElement('td');

		cell.className = style;
		cell.textContent = text;
		return cell;
	}

	number(text, exact) {
		const cell = this.cell(text, 'number');

		if (exact)
			cell.title = exact;
		return cell;
	}

	nameCell(fn) {
		const cell = this.cell(this.profile.name(fn), 'name');

		cell.addEventListener('dblclick', () => this.choose(this.profile.name(fn)));
		return cell;
	}
}
