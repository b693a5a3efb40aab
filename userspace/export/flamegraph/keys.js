/* SPDX-License-Identifier: Apache-2.0 */
/* What keys do. Arrows move in the picture only, letters everywhere but in a field. */
'use strict';

const ARROWS = {
	flame: { ArrowUp: 'called', ArrowDown: 'caller' },
	icicle: { ArrowUp: 'caller', ArrowDown: 'called' },
};
const SIDES = { ArrowLeft: 'left', ArrowRight: 'right' };

class Keys {
	constructor(view, page) {
		this.view = view;
		this.page = page;
		document.addEventListener('keydown', (event) => this.onKey(event));
		page.scroller.addEventListener('keydown', (event) => this.onPictureKey(event));
		page.search.addEventListener('keydown', (event) => this.onSearchKey(event));
	}

	onPictureKey(event) {
		const where = ARROWS[this.view.shape][event.key] || SIDES[event.key];

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (where)
			this.view.move(where);
		else if (event.key === 'Enter' && this.view.selected >= 0)
			this.view.zoom(this.view.selected);
		else
			return;
		event.preventDefault();
	}

	onSearchKey(event) {
		if (event.key === 'Escape')
			this.page.setSearch('');
		if (event.key !== 'Escape' && event.key !== 'Enter')
			return;
		event.preventDefault();
		event.stopPropagation();
		this.page.scroller.focus();
	}

	onKey(event) {
		const isField = event.target.closest('input, select, dialog');

		if (isField || event.ctrlKey || event.altKey || event.metaKey)
			return;
		const action = this.actions()[event.key];
		if (!action)
			return;
		action();
		event.preventDefault();
	}

	actions() {
		const { view, page } = this;

		return {
			'/': () => page.search.focus(),
			'?': () => page.help.showModal(),
			f: () => view.set('shape', view.shape === 'flame' ? 'icicle' : 'flame'),
			i: () => view.set('direction', view.direction === 'callees' ? 'callers' : 'callees'),
			o: () => view.profile.isOrdered &&
				view.set('order', view.order === 'heavy' ? 'time' : 'heavy'),
			c: () => page.theme.next(),
			Escape: () => this.escape(),
		};
	}

	escape() {
		if (this.view.zoomed)
			this.view.zoom(0);
		else if (this.view.search)
			this.page.setSearch('');
		else
			this.view.select(0);
	}
}
