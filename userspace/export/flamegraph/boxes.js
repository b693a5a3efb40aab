/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes as they are drawn: columns left and right (in weight), row (0: the root), caller,
 * function, self. Boxes of a row come from left to right.
 */
'use strict';

const FIRST_ROOM = 1024;
/* In `merged`, beside counts: it is not known how many. */
const MERGED_SOME = -1;

class Boxes {
	constructor(total) {
		this.count = 0;
		this.rows = [];
		this.columns = ['left', 'right', 'self', 'row', 'parent', 'fn', 'merged'];
		this.left = new Float64Array(FIRST_ROOM);
		this.right = new Float64Array(FIRST_ROOM);
		this.self = new Float64Array(FIRST_ROOM);
		this.row = new Int32Array(FIRST_ROOM);
		this.parent = new Int32Array(FIRST_ROOM);
		this.fn = new Int32Array(FIRST_ROOM);
		this.merged = new Int32Array(FIRST_ROOM);
		this.isCut = false; /* there would have been more */
		this.add({ left: 0, right: total, self: 0, parent: -1, fn: NO_FUNCTION, merged: 0 });
	}

	grow() {
		for (const name of this.columns) {
			const column = this[name];

			this[name] = new column.constructor(2 * column.length);
			this[name].set(column);
		}
	}

	/* Its number. */
	add(box) {
		const id = this.count;

		if (id === this.left.length)
			this.grow();
		this.count++;
		this.left[id] = box.left;
		this.right[id] = box.right;
		this.self[id] = box.self;
		this.parent[id] = box.parent;
		this.fn[id] = box.fn;
		this.merged[id] = box.merged;
		this.row[id] = box.parent < 0 ? 0 : this.row[box.parent] + 1;
		if (this.row[id] === this.rows.length)
			this.rows.push([]);
		this.rows[this.row[id]].push(id);
		return id;
	}

	weight(id) {
		return this.right[id] - this.left[id];
	}

	/* The place in a row of its first box that ends behind @x; the row's length if none. */
	firstBehind(row, x) {
		const ids = this.rows[row];
		let low = 0;
		let high = ids.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.right[ids[middle]] > x)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	/* The box there, or -1. */
	at(row, x) {
		const ids = this.rows[row];

		if (!ids)
			return -1;
		const id = ids[this.firstBehind(row, x)];
		return id !== undefined && this.left[id] <= x ? id : -1;
	}

	/* The heaviest box above, or -1. */
	heaviestChild(id) {
		const row = this.row[id] + 1;
		const ids = this.rows[row] || [];
		let best = -1;

		for (let i = ids.length ? this.firstBehind(row, this.left[id]) : 0;
		     i < ids.length && this.left[ids[i]] < this.right[id]; i++)
			if (best < 0 || this.weight(ids[i]) > this.weight(best))
				best = ids[i];
		return best;
	}

	/* The box beside it in its row, @step being 1 or -1, or -1. */
	beside(id, step) {
		const ids = this.rows[this.row[id]];
		const place = this.firstBehind(this.row[id], this.left[id]) + step;

		return place >= 0 && place < ids.length ? ids[place] : -1;
	}
}

/* The children of each box that weigh something, heaviest first. */
function childrenOf(profile, weights) {
	const { count, parent, merged } = profile.boxes;
	const children = Array.from({ length: count }, () => null);

	for (let i = 1; i < count; i++) {
		if (weights.running[i] <= 0)
			continue;
		if (children[parent[i]])
			children[parent[i]].push(i);
		else
			children[parent[i]] = [i];
	}
	for (const list of children)
		if (list && list.length > 1)
			list.sort((a, b) => !!merged[a] - !!merged[b] ||
				  weights.running[b] - weights.running[a] || a - b);
	return children;
}

/* From the root, the heaviest at the left. */
function heavyBoxes(profile, weights) {
	const { fn, merged } = profile.boxes;
	const children = childrenOf(profile, weights);
	const out = new Boxes(weights.total);
	const todo = [{ box: 0, id: 0 }];

	while (todo.length) {
		const { box, id } = todo.pop();
		let left = out.left[id];
		const added = [];

		for (const child of children[box] || []) {
			const right = left + weights.running[child];

			added.push({ box: child, id: out.add({
				left, right, self: weights.self[child], parent: id,
				fn: fn[child], merged: merged[child],
			}) });
			left = right;
		}
		while (added.length)
			todo.push(added.pop());
	}
	return out;
}
