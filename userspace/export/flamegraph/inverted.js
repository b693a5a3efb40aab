/* SPDX-License-Identifier: Apache-2.0 */
/* The tree from its leaves: a row of functions by self time, on them who called them. */
'use strict';

/* What is below this share of the total is merged. */
const INVERTED_LEAST = 1 / 20000;
/* Steps from a box to its caller, so that a page never takes long. */
const INVERTED_STEPS = 5e6;

/* A function's boxes and the weight that came up to each. */
class Group {
	constructor(fn) {
		this.fn = fn;
		this.weight = 0;
		this.boxes = [];
		this.weights = [];
	}

	add(box, weight) {
		const last = this.boxes.length - 1;

		this.weight += weight;
		if (last >= 0 && this.boxes[last] === box) {
			this.weights[last] += weight;
			return;
		}
		this.boxes.push(box);
		this.weights.push(weight);
	}
}

class Inverter {
	constructor(profile, weights) {
		this.boxes = profile.boxes;
		this.weights = weights;
		this.least = weights.total * INVERTED_LEAST;
		this.steps = INVERTED_STEPS;
		this.out = new Boxes(weights.total);
	}

	/* Who has self time. Of the whole profile it is exact, with what is merged in it. */
	leaves() {
		const groups = new Map();

		this.weights.functionSelf.forEach((self, fn) => {
			if (self > 0)
				groups.set(fn, new Group(fn));
		});
		for (let i = 1; i < this.boxes.count; i++)
			if (this.weights.self[i] > 0 && this.boxes.fn[i] >= 0)
				groups.get(this.boxes.fn[i]).add(i, this.weights.self[i]);
		for (const group of groups.values())
			group.weight = this.weights.functionSelf[group.fn];
		return [...groups.values()];
	}

	callers(group) {
		const groups = new Map();

		this.steps -= group.boxes.length;
		group.boxes.forEach((box, i) => {
			const caller = this.boxes.parent[box];

			if (caller === 0)
				return;
			const fn = this.boxes.fn[caller];
			if (!groups.has(fn))
				groups.set(fn, new Group(fn));
			groups.get(fn).add(caller, group.weights[i]);
		});
		return [...groups.values()];
	}

	/* Adds @groups on box @id, heaviest first; [{group, id}] of those that stay themselves. */
	place(groups, id) {
		const isRow0 = id === 0;
		const kept = groups.filter((group) => group.weight >= this.least)
			.sort((a, b) => b.weight - a.weight || a.fn - b.fn);
		const small = groups.filter((group) => group.weight < this.least);
		let left = this.out.left[id];
		const added = kept.map((group) => {
			const box = { left, right: left + group.weight, parent: id, fn: group.fn,
				      merged: 0, self: isRow0 ? group.weight : 0 };

			left = box.right;
			return { group, id: this.out.add(box) };
		});
		const weight = small.reduce((sum, group) => sum + group.weight, 0);
		left = this.placeMerged(id, left, weight, small.length);
		return { added, left };
	}

	placeMerged(id, left, weight, merged) {
		if (weight <= 0)
			return left;
		this.out.add({ left, right: left + weight, parent: id, fn: NO_FUNCTION, merged,
			       self: id === 0 ? weight : 0 });
		return left + weight;
	}

	/* The weight of @group whose callers are in merged boxes. */
	hidden(group) {
		return group.weight - group.weights.reduce((sum, weight) => sum + weight, 0);
	}

	run() {
		const { added: todo, left } = this.place(this.leaves(), 0);

		this.placeMerged(0, left, this.weights.total - left, MERGED_SOME);
		for (let i = 0; i < todo.length; i++) {
			const { group, id } = todo[i];

			if (this.steps < 0) {
				this.out.isCut = true;
				break;
			}
			const next = this.place(this.callers(group), id);
			todo[i] = null;
			for (const one of next.added)
				todo.push(one);
			this.placeMerged(id, next.left, this.hidden(group), MERGED_SOME);
		}
		return this.out;
	}
}

function invertedBoxes(profile, weights) {
	return new Inverter(profile, weights).run();
}
