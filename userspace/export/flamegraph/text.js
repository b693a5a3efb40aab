/* SPDX-License-Identifier: Apache-2.0 */
/* Weights and shares in words. */
'use strict';

const TIME_UNITS = { nanoseconds: 1e-9, microseconds: 1e-6, milliseconds: 1e-3, seconds: 1 };
const TIME_STEPS = [[1, 's'], [1e-3, 'ms'], [1e-6, '\u00b5s'], [1e-9, 'ns']];
const BYTE_STEPS = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']];

/* A number with three significant digits or all that it has before the point. */
function shortNumber(value) {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;

	return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

function scaled(value, steps, otherwise) {
	const step = steps.find(([size]) => Math.abs(value) >= size);

	return step ? `${shortNumber(value / step[0])} ${step[1]}` : otherwise;
}

class Units {
	constructor(unit, decimals) {
		this.unit = unit;
		this.decimals = decimals;
		this.scale = 10 ** -decimals;
	}

	/* 70707070 nanoseconds: "70.7 ms" */
	short(weight) {
		const value = weight * this.scale;
		const second = TIME_UNITS[this.unit];

		if (value === 0)
			return '0';
		if (second !== undefined)
			return scaled(value * second, TIME_STEPS, `${shortNumber(value)} ${this.unit}`);
		if (this.unit === 'bytes')
			return scaled(value, BYTE_STEPS, `${shortNumber(value)} bytes`);
		return this.exact(weight);
	}

	/* 70707070 nanoseconds: "70,707,070 nanoseconds" */
	exact(weight) {
		const value = weight * this.scale;
		const options = { maximumFractionDigits: this.decimals };

		return `${value.toLocaleString('en-US', options)} ${this.unit}`;
	}
}

/* "12.34 %" */
function percent(weight, total) {
	const share = total > 0 ? 100 * weight / total : 0;

	if (share > 0 && share < 0.01)
		return '< 0.01 %';
	return `${share.toFixed(2)} %`;
}

/* 1234567: "1,234,567" */
function grouped(count) {
	return count.toLocaleString('en-US');
}
