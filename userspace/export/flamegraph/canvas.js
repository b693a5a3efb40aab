/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the boxes that can be seen, and tells which one is where. */
'use strict';

const ROW_PX = 18;
const TEXT_PX = 12;
const PADDING_PX = 3;
const LEAST_TEXT_PX = 24;
const COLOURS = ['python', 'native', 'kernel', 'unknown', 'small', 'match', 'paper', 'ink'];

class Painter {
	constructor(scroller, tall, canvas) {
		this.scroller = scroller;
		this.tall = tall;
		this.canvas = canvas;
		this.context = canvas.getContext('2d');
		this.readColours();
	}

	/* From the style sheet, so the page has them in one place. */
	readColours() {
		const style = getComputedStyle(document.documentElement);

		this.colours = {};
		for (const name of COLOURS)
			this.colours[name] = style.getPropertyValue(`--${name}`).trim();
	}

	/* Makes room for all rows of the picture; the canvas is only as large as what is seen. */
	resize(rows) {
		const ratio = window.devicePixelRatio || 1;

		this.rows = rows;
		this.tall.style.height = `${rows * ROW_PX}px`;
		this.canvas.style.height = '0'; /* or it makes a scroll bar that nobody needs */
		this.width = this.tall.clientWidth;
		this.height = Math.min(this.scroller.clientHeight, rows * ROW_PX);
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.font = `${TEXT_PX}px monospace`;
		this.letter = this.context.measureText('m').width;
	}

	/* From the top of the picture. */
	top(row, shape) {
		return (shape === 'flame' ? this.rows - 1 - row : row) * ROW_PX;
	}

	rowAt(y, shape) {
		const row = Math.floor((y + this.scroller.scrollTop) / ROW_PX);

		return shape === 'flame' ? this.rows - 1 - row : row;
	}

	/* Calls @each(id, x, y, width) for what is seen; one box where several share a pixel. */
	eachVisible(picture, each) {
		const { boxes, range, shape } = picture;
		const scroll = this.scroller.scrollTop;
		const ends = [this.rowAt(0, shape), this.rowAt(this.height - 1, shape)];
		const last = Math.min(Math.max(...ends), this.rows - 1);

		for (let row = Math.max(0, Math.min(...ends)); row <= last; row++)
			this.eachInRow(boxes, range, row, (id, x, width) =>
				each(id, x, this.top(row, shape) - scroll, width));
	}

	eachInRow(boxes, range, row, each) {
		const ids = boxes.rows[row];
		const scale = this.width / (range.right - range.left || 1);
		let i = boxes.firstBehind(row, range.left);

		while (i < ids.length && boxes.left[ids[i]] < range.right) {
			const x = Math.max(0, (boxes.left[ids[i]] - range.left) * scale);
			const end = Math.min(this.width, (boxes.right[ids[i]] - range.left) * scale);

			each(ids[i], x, end - x);
			i = end - x >= 1 ? i + 1
				: Math.max(i + 1, boxes.firstBehind(row, range.left + (x + 1) / scale));
		}
	}

	draw(picture) {
		this.context.clearRect(0, 0, this.width, this.height);
		this.eachVisible(picture, (id, x, y, width) =>
			this.drawBox(picture, id, x, y, width));
	}

	drawBox(picture, id, x, y, width) {
		const { context, colours } = this;
		const look = picture.look(id);

		context.globalAlpha = look.alpha;
		context.fillStyle = colours[look.colour];
		context.fillRect(x, y, Math.max(width - 0.7, 0.7), ROW_PX - 1);
		context.globalAlpha = 1;
		if (id === picture.selected) {
			context.strokeStyle = colours.ink;
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(width - 2.7, 1), ROW_PX - 3);
		}
		if (width >= LEAST_TEXT_PX)
			this.drawText(picture.name(id), x, y, width);
	}

	drawText(name, x, y, width) {
		const room = width - 2 * PADDING_PX;

		this.context.fillStyle = this.colours.ink;
		this.context.direction = 'ltr';
		this.context.fillText(this.cut(name, room), x + PADDING_PX, y + ROW_PX - 5);
	}

	/* As much of @name as is not wider than @room. */
	cut(name, room) {
		const most = Math.floor(room / this.letter);

		if (name.length <= most && !/[^ -~]/.test(name))
			return name;
		/* Of several code units a letter, of letters twice as wide: then fewer fit. */
		const letters = Array.from(name.slice(0, 2 * most));
		let text = letters.length > most || 2 * most < name.length
			? `${letters.slice(0, most - 1).join('')}\u2026` : name;

		while (letters.length && this.context.measureText(text).width > room + 0.5) {
			letters.length = Math.min(letters.length, Array.from(text).length - 1) - 1;
			text = `${letters.join('')}\u2026`;
		}
		return text;
	}

	/* The box under a point of the canvas, or -1. */
	boxAt(picture, x, y) {
		const { boxes, range, shape } = picture;
		const weight = range.left + x / this.width * (range.right - range.left);

		return boxes.at(this.rowAt(y, shape), weight);
	}

	/* Scrolls until @row is seen. */
	show(row, shape) {
		const top = this.top(row, shape);

		if (top < this.scroller.scrollTop)
			this.scroller.scrollTop = top;
		else if (top + ROW_PX > this.scroller.scrollTop + this.height)
			this.scroller.scrollTop = top + ROW_PX - this.height;
	}
}
