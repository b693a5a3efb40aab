/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of the page: its tables as export/html_data.c writes them, unpacked, and what
 * they weigh for some of its tracks (threads).
 */
'use strict';

const NO_FUNCTION = -1;

/* Columns of boxes in preorder: box 0 is the root, a caller has a lower number. */
function unpackBoxes(data) {
	const count = data.up.length + 1;
	const boxes = {
		count,
		parent: new Int32Array(count),
		depth: new Int32Array(count),
		fn: new Int32Array(count).fill(NO_FUNCTION),
		merged: new Int32Array(count),
		self: new Float64Array(count),
	};

	boxes.parent[0] = -1;
	for (let i = 1; i < count; i++) {
		let parent = i - 1;

		for (let up = data.up[i - 1]; up > 0; up--)
			parent = boxes.parent[parent];
		boxes.parent[i] = parent;
		boxes.depth[i] = boxes.depth[parent] + 1;
		boxes.fn[i] = data.function[i - 1];
		boxes.self[i] = data.self[i - 1];
	}
	for (let i = 0; i < data.merged.length; i += 2)
		boxes.merged[data.merged[i]] = data.merged[i + 1];
	return boxes;
}

/* The sum of what came before and itself, for each of a column of differences. */
function undelta(column) {
	const out = new Int32Array(column.length);
	let value = 0;

	for (let i = 0; i < column.length; i++)
		out[i] = value += column[i];
	return out;
}

class Profile {
	constructor(data) {
		this.data = data;
		this.units = new Units(data.unit, data.decimals);
		this.functions = data.functions;
		this.functionCount = data.functions.name.length;
		this.boxes = unpackBoxes(data.boxes);
		this.tracks = data.tracks;
		this.isOrdered = data.ordered;
	}

	name(fn) {
		return this.functions.name[fn];
	}

	file(fn) {
		return this.data.files[this.functions.file[fn]];
	}

	kind(fn) {
		return this.data.kinds[this.functions.kind[fn]];
	}

	/* "app.py:12", "app.py" or "" */
	place(fn) {
		const line = this.functions.line[fn];
		const file = this.file(fn);

		return file && line ? `${file}:${line}` : file;
	}

	/* What it all weighs for these tracks (their numbers). */
	weigh(tracks) {
		return new Weights(this, tracks);
	}

	/* [{box, weight}] columns of a track, in the order of time. */
	runs(track) {
		const runs = this.tracks[track].runs;

		return { box: undelta(runs.box), weight: runs.weight };
	}
}

/* Weights of boxes and functions for some tracks of a profile. */
class Weights {
	constructor(profile, tracks) {
		this.profile = profile;
		this.tracks = tracks;
		this.isWhole = tracks.length === profile.tracks.length;
		this.self = this.isWhole ? profile.boxes.self : this.sumTracks();
		this.running = this.sumUp();
		this.total = this.running[0];
		if (this.isWhole) {
			this.functionSelf = profile.functions.self;
			this.functionTotal = profile.functions.total;
		} else {
			this.sumFunctions();
		}
	}

	sumTracks() {
		const self = new Float64Array(this.profile.boxes.count);

		for (const number of this.tracks) {
			const track = this.profile.tracks[number];
			const boxes = undelta(track.box);

			boxes.forEach((box, i) => {
				self[box] += track.self[i];
			});
		}
		return self;
	}

	sumUp() {
		const { count, parent } = this.profile.boxes;
		const running = Float64Array.from(this.self);

		for (let i = count - 1; i > 0; i--)
			running[parent[i]] += running[i];
		return running;
	}

	/* Of the boxes: what is in merged ones counts for no function. */
	sumFunctions() {
		const { count, parent, fn, depth } = this.profile.boxes;
		const open = new Int32Array(this.profile.functionCount);
		const self = new Float64Array(this.profile.functionCount);
		const total = new Float64Array(this.profile.functionCount);
		const leave = (box, end) => {
			for (; depth[box] >= end; box = parent[box])
				if (fn[box] >= 0)
					open[fn[box]]--;
		};

		for (let i = 1; i < count; i++) {
			leave(i - 1, Math.max(1, depth[i]));
			if (fn[i] < 0)
				continue;
			self[fn[i]] += this.self[i];
			if (open[fn[i]]++ === 0)
				total[fn[i]] += this.running[i];
		}
		this.functionSelf = self;
		this.functionTotal = total;
	}

	/* The weight of samples with a function that @isFound (a column) says yes to. */
	weightOf(isFound) {
		const { count, parent, fn } = this.profile.boxes;
		const inside = new Uint8Array(count);
		let weight = 0;

		for (let i = 1; i < count; i++) {
			inside[i] = inside[parent[i]];
			if (inside[i] || fn[i] < 0 || !isFound[fn[i]])
				continue;
			inside[i] = 1;
			weight += this.running[i];
		}
		return weight;
	}

	/* What is in merged boxes. */
	mergedWeight() {
		const { count, merged } = this.profile.boxes;
		let weight = 0;

		for (let i = 1; i < count; i++)
			if (merged[i])
				weight += this.self[i];
		return weight;
	}
}
