/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown: which boxes, how much of them, what is selected and what was searched for. */
'use strict';

class View {
	constructor(profile, painter, page) {
		this.profile = profile;
		this.painter = painter;
		this.page = page; /* page.changed(view) writes the words around the picture */
		this.shape = 'flame';
		this.order = 'heavy';
		this.direction = 'callees';
		this.search = '';
		this.isFound = null;
		this.setTracks(profile.tracks.map((track, i) => i));
	}

	setTracks(tracks) {
		this.weights = this.profile.weigh(tracks);
		this.layOut();
	}

	/* "shape", "order" or "direction". What has no order stays left-heavy. */
	set(what, value) {
		this[what] = value;
		if (what === 'order' && value === 'time')
			this.direction = 'callees';
		if (what === 'direction' && value === 'callers')
			this.order = 'heavy';
		if (what === 'shape')
			this.start();
		else
			this.layOut();
	}

	layOut() {
		if (this.direction === 'callers')
			this.boxes = invertedBoxes(this.profile, this.weights);
		else if (this.order === 'time')
			this.boxes = timeBoxes(this.profile, this.weights);
		else
			this.boxes = heavyBoxes(this.profile, this.weights);
		this.zoomed = 0;
		this.selected = -1;
		this.start();
	}

	/* Shows the roots. */
	start() {
		this.painter.resize(this.boxes.rows.length);
		this.painter.show(this.boxes.row[this.zoomed], this.shape);
		this.changed();
	}

	changed() {
		this.draw();
		this.page.changed(this);
	}

	draw() {
		this.painter.draw(this.picture());
	}

	picture() {
		const { boxes, shape, selected } = this;
		const range = { left: boxes.left[this.zoomed], right: boxes.right[this.zoomed] };

		return { boxes, range, shape, selected,
			 name: (id) => this.name(id), look: (id) => this.look(id) };
	}

	name(id) {
		const { fn, merged } = this.boxes;

		if (id === 0)
			return 'all';
		if (merged[id] > 0)
			return `(${grouped(merged[id])} small ones)`;
		return merged[id] === MERGED_SOME ? '(small ones)' : this.profile.name(fn[id]);
	}

	kind(id) {
		const fn = this.boxes.fn[id];

		if (id === 0)
			return 'all';
		return fn < 0 ? 'small' : this.profile.kind(fn);
	}

	colour(id) {
		const fn = this.boxes.fn[id];

		if (fn < 0)
			return 'small';
		return this.isFound && this.isFound[fn] ? 'match' : this.profile.kind(fn);
	}

	/* Colour and strength of a box; callers of what is zoomed to are faint. */
	look(id) {
		const fn = this.boxes.fn[id];
		const alpha = fn < 0 ? 1 : 0.7 + 0.1 * this.profile.functions.shade[fn];
		const isCaller = this.boxes.row[id] < this.boxes.row[this.zoomed];

		return { colour: this.colour(id), alpha: isCaller ? alpha / 2 : alpha };
	}

	zoom(id) {
		this.zoomed = id;
		this.selected = id;
		this.painter.show(this.boxes.row[id], this.shape);
		this.changed();
	}

	select(id) {
		if (id < 0)
			return;
		this.selected = id;
		this.painter.show(this.boxes.row[id], this.shape);
		this.changed();
	}

	/* Functions with @text in their name or file, in whatever case. */
	find(text) {
		const wanted = text.toLowerCase();

		this.search = text;
		this.isFound = wanted === '' ? null : new Uint8Array(this.profile.functionCount);
		for (let fn = 0; wanted !== '' && fn < this.profile.functionCount; fn++)
			if (this.profile.name(fn).toLowerCase().includes(wanted) ||
			    this.profile.place(fn).toLowerCase().includes(wanted))
				this.isFound[fn] = 1;
		this.changed();
	}

	foundWeight() {
		return this.isFound ? this.weights.weightOf(this.isFound) : 0;
	}

	/* The words about a box. */
	describe(id) {
		const { units } = this.profile;
		const weight = this.boxes.weight(id);
		const fn = this.boxes.fn[id];
		const self = this.boxes.self[id];
		const what = fn < 0 ? '' : ` [${this.profile.kind(fn)}] ${this.profile.place(fn)}`;

		return `${this.name(id)}${what}: ${percent(weight, this.weights.total)}, ` +
			`${units.short(weight)} (${units.exact(weight)}); ` +
			`self ${percent(self, this.weights.total)}, ${units.short(self)}`;
	}

	/* From the selected box on: "caller", "called", "left" or "right". */
	move(where) {
		const id = this.selected;

		if (id < 0)
			this.select(this.zoomed);
		else if (where === 'caller')
			this.select(this.boxes.parent[id]);
		else if (where === 'called')
			this.select(this.boxes.heaviestChild(id));
		else
			this.select(this.boxes.beside(id, where === 'left' ? -1 : 1));
		if (!this.isInside(this.selected))
			this.zoom(this.boxes.row[this.selected] < this.boxes.row[this.zoomed]
				? this.selected : 0);
	}

	/* Whether something of it is within what is shown. */
	isInside(id) {
		return id < 0 || (this.boxes.left[id] < this.boxes.right[this.zoomed] &&
			this.boxes.right[id] > this.boxes.left[this.zoomed]);
	}
}
