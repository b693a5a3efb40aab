/* SPDX-License-Identifier: Apache-2.0 */
/* The page around the picture: its words, buttons and fields. */
'use strict';

const THEMES = { '': 'as the system', dark: 'dark', light: 'light' };
const SEARCH_DELAY_MS = 120;

function byId(id) {
	return document.getElementById(id);
}

/* Dark or light: as the system has it until the button says otherwise. */
class Theme {
	constructor(button, onChange) {
		this.button = button;
		this.onChange = onChange;
		this.system = matchMedia('(prefers-color-scheme: dark)');
		this.system.addEventListener('change', onChange);
		button.addEventListener('click', () => this.next());
		this.chosen = '';
	}

	next() {
		const names = Object.keys(THEMES);

		this.chosen = names[(names.indexOf(this.chosen) + 1) % names.length];
		document.documentElement.dataset.theme = this.chosen;
		this.button.textContent = `Colours: ${THEMES[this.chosen]}`;
		this.onChange();
	}

	/* "dark" or "light" */
	shown() {
		return this.chosen || (this.system.matches ? 'dark' : 'light');
	}
}

/* Selectable threads: all, each process if there are several, each thread. */
function threadChoices(profile) {
	const all = profile.tracks.map((track, i) => i);
	const pids = [...new Set(profile.tracks.map((track) => track.pid))].filter((pid) => pid);
	const choices = [{ name: 'all', tracks: all }];

	for (const pid of pids.length > 1 ? pids : []) {
		const tracks = all.filter((i) => profile.tracks[i].pid === pid);

		choices.push({ name: `all of ${profile.tracks[tracks[0]].process} ${pid}`, tracks });
	}
	for (const i of all.length > 1 ? all : [])
		choices.push({ name: profile.tracks[i].name, tracks: [i] });
	return choices;
}

/* What the picture does not show as it was, a sentence each. */
function notesOf(profile, view) {
	const { small, joined, without_stack: withoutStack, total } = profile.data;
	const { units } = profile;
	const notes = [];

	if (small.count)
		notes.push(`${grouped(small.count)} boxes of at most ${percent(small.most, total)} ` +
			`(${units.short(small.most)}) each were merged into \u201c(N small ones)\u201d: ` +
			`${percent(small.weight, total)} of all. Totals and the table are exact.`);
	if (!view.weights.isWhole && small.count)
		notes.push('In the table of some threads, what was merged counts for no function.');
	if (!profile.isOrdered)
		notes.push('This profile sums up: there is no order of time in it.');
	if (view.order === 'time')
		notes.push('By time: the samples in their order, the threads one after the other; ' +
			'a width is a weight.');
	if (view.order === 'time' && joined)
		notes.push(`${grouped(joined)} short runs were joined with those beside them.`);
	if (view.boxes.isCut)
		notes.push('Inverted: too many callers; the farthest are not shown.');
	if (withoutStack)
		notes.push(`${units.short(withoutStack)} had no stack and are not shown.`);
	return notes;
}

class Page {
	constructor(profile) {
		this.profile = profile;
		this.scroller = byId('scroller');
		this.search = byId('search');
		this.help = byId('help');
		this.painter = new Painter(this.scroller, byId('tall'), byId('canvas'));
		this.theme = new Theme(byId('theme'), () => this.repaint());
		this.table = new FunctionTable(profile, byId('functions'), byId('more'),
			(name) => this.setSearch(name));
		this.fillHead();
		this.view = new View(profile, this.painter, this);
		this.listen();
		this.keys = new Keys(this.view, this);
	}

	fillHead() {
		const { data, units } = this.profile;
		const { about } = data;
		const words = [`${units.short(data.total)} in all`];

		if (about.start_ms)
			words.push(new Date(about.start_ms).toISOString().replace(/\.\d+Z$/, 'Z'));
		if (about.duration_ms)
			words.push(`${shortNumber(about.duration_ms / 1000)} s long`);
		if (about.python)
			words.push(`Python ${about.python}`);
		if (about.rates_hz)
			words.push(`${about.rates_hz} Hz`);
		if (about.lost)
			words.push(`${grouped(about.lost)} of ${grouped(about.taken)} ticks lost`);
		byId('title').textContent = data.title;
		byId('summary').textContent = `${words.join(' \u00b7 ')} \u00b7 spprof ${data.version}`;
		this.fillThreads();
	}

	fillThreads() {
		const select = byId('threads');

		this.choices = threadChoices(this.profile);
		this.choices.forEach(({ name, tracks }, i) => {
			const weight = tracks.reduce((sum, t) => sum + this.profile.tracks[t].weight, 0);
			const share = percent(weight, this.profile.data.total);

			select.append(new Option(i ? `${name}: ${share}` : name, i));
		});
		byId('threads-label').hidden = this.choices.length === 1;
	}

	listen() {
		const { view } = this;

		for (const button of document.querySelectorAll('[data-set]'))
			button.addEventListener('click', () =>
				view.set(button.dataset.set, button.dataset.value));
		byId('threads').addEventListener('change', (event) =>
			view.setTracks(this.choices[event.target.value].tracks));
		byId('unzoom').addEventListener('click', () => view.zoom(0));
		byId('help-button').addEventListener('click', () => this.help.showModal());
		this.search.addEventListener('input', () => this.searchSoon());
		this.scroller.addEventListener('scroll', () => view.draw());
		window.addEventListener('resize', () => this.resize());
		this.listenToMouse(byId('canvas'));
	}

	listenToMouse(canvas) {
		const { view } = this;
		const boxAt = (event) =>
			this.painter.boxAt(view.picture(), event.offsetX, event.offsetY);

		canvas.addEventListener('click', (event) => {
			const id = boxAt(event);

			if (id >= 0)
				view.zoom(id);
		});
		canvas.addEventListener('mousemove', (event) => {
			const id = boxAt(event);

			byId('hover').textContent = id < 0 ? '' : view.describe(id);
		});
		canvas.addEventListener('mouseleave', () => {
			byId('hover').textContent = '';
		});
	}

	repaint() {
		this.painter.readColours();
		this.view.draw();
	}

	resize() {
		this.painter.resize(this.view.boxes.rows.length);
		this.view.draw();
	}

	/* While somebody types, the last word counts. */
	searchSoon() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.view.find(this.search.value), SEARCH_DELAY_MS);
	}

	setSearch(text) {
		clearTimeout(this.timer);
		this.search.value = text;
		this.view.find(text);
	}

	changed(view) {
		for (const button of document.querySelectorAll('[data-set]'))
			button.ariaPressed = String(view[button.dataset.set] === button.dataset.value);
		document.querySelector('[data-value="time"]').disabled = !this.profile.isOrdered;
		byId('unzoom').disabled = view.zoomed === 0;
		byId('detail').textContent = view.selected < 0 ? '' : view.describe(view.selected);
		byId('share').textContent = this.shareText(view);
		this.changeNotes(notesOf(this.profile, view));
		this.changeTable(view);
	}

	/* "found in 12.34 %"; names in merged boxes cannot be found. */
	shareText(view) {
		if (!view.isFound)
			return '';
		const least = view.weights.mergedWeight() > 0 ? 'at least ' : '';
		const weight = view.foundWeight();

		return `found in ${least}${percent(weight, view.weights.total)}, ` +
			this.profile.units.short(weight);
	}

	changeNotes(notes) {
		byId('notes').replaceChildren(...notes.map((note) => {
			const item = document.createElement('li');

			item.textContent = note;
			return item;
		}));
	}

	changeTable(view) {
		if (this.table.weights !== view.weights || this.table.isFound !== view.isFound)
			this.table.show(view.weights, view.isFound);
	}
}

/* What tests, and curious people in the console, can ask. */
function stateOf(page) {
	const { view, profile } = page;
	const box = (id) => (id < 0 ? null : {
		name: view.name(id), kind: view.kind(id), row: view.boxes.row[id],
		weight: view.boxes.weight(id), self: view.boxes.self[id], merged: view.boxes.merged[id],
	});
	const { top, left } = byId('canvas').getBoundingClientRect();
	const drawn = [];

	page.painter.eachVisible(view.picture(), (id, x, y, width) =>
		drawn.push({ ...box(id), x: left + x, y: top + y, width }));
	return {
		total: view.weights.total, unit: profile.units.unit, small: profile.data.small,
		shape: view.shape, order: view.order, direction: view.direction,
		theme: page.theme.shown(), zoomed: box(view.zoomed), selected: box(view.selected),
		search: view.search, found: view.foundWeight(), boxes: view.boxes.count,
		rows: view.boxes.rows.length, drawn,
	};
}

function open() {
	const page = new Page(new Profile(JSON.parse(byId('profile').textContent)));
	const openedMs = performance.now();

	window.spprof = { state: () => ({ ...stateOf(page), openedMs }) };
}

open();
