/* SPDX-License-Identifier: Apache-2.0 */
/* The samples in the order of time, the threads one after the other. */
'use strict';

/* The lowest box that both hang from; in preorder what hangs from a box comes after it. */
function commonBox(boxes, a, b) {
	while (a !== b) {
		if (a > b)
			a = boxes.parent[a];
		else
			b = boxes.parent[b];
	}
	return a;
}

class Timeline {
	constructor(profile, weights) {
		this.boxes = profile.boxes;
		this.out = new Boxes(weights.total);
		this.open = [0]; /* of each depth: the box that is not closed yet */
		this.current = 0; /* its number in the profile */
		this.now = 0;
	}

	close(depth) {
		while (this.open.length > depth + 1)
			this.out.right[this.open.pop()] = this.now;
	}

	/* Opens what leads from box @from, which is open, to @to. */
	openUpTo(from, to) {
		const path = [];

		for (let box = to; box !== from; box = this.boxes.parent[box])
			path.push(box);
		for (const box of path.reverse())
			this.open.push(this.out.add({
				left: this.now, right: Infinity, self: 0, parent: this.open.at(-1),
				fn: this.boxes.fn[box], merged: this.boxes.merged[box],
			}));
	}

	step(box, weight) {
		const common = commonBox(this.boxes, this.current, box);

		this.close(this.boxes.depth[common]);
		this.openUpTo(common, box);
		this.out.self[this.open.at(-1)] += weight;
		this.current = box;
		this.now += weight;
	}

	/* A thread ends: the next one begins with boxes of its own. */
	end() {
		this.close(0);
		this.current = 0;
	}
}

function timeBoxes(profile, weights) {
	const timeline = new Timeline(profile, weights);

	for (const track of weights.tracks) {
		const runs = profile.runs(track);

		for (let i = 0; i < runs.box.length; i++)
			timeline.step(runs.box[i], runs.weight[i]);
		timeline.end();
	}
	return timeline.out;
}
