// SPDX-License-Identifier: Apache-2.0
//
// Has the importer of the real speedscope read a file, without its page:
//
//	node speedscope.js PACKAGE FILE
//
// The importer is in the page's one script, which exports nothing: its end, which draws the
// page, is replaced by what hands the importer out, and it finds a browser in which nothing
// happens.
'use strict';

const fs = require('fs');
const path = require('path');

const nothing = new Proxy(function () {}, {
	get: (_, key) => (key === Symbol.toPrimitive ? () => '' : nothing),
	set: () => true,
	apply: () => nothing,
	construct: () => nothing,
});

function pageScript(folder) {
	const release = path.join(folder, 'dist', 'release');
	const name = fs.readdirSync(release).find((one) => /^speedscope-\w+\.js$/.test(one));
	return fs.readFileSync(path.join(release, name), 'utf8');
}

function replaced(text, what, by) {
	if (!what.test(text))
		throw new Error(`the page's script has no ${what}`);
	return text.replace(what, () => by);
}

function importer(folder) {
	let script = pageScript(folder);
	const [, module] = script.match(/(\w+),\{importFromFileSystemDirectoryEntry:/) || [];
	const [, begin] = script.match(new RegExp(`\\(\\)=>\\((\\w+)\\(\\),${module}\\)`)) || [];
	if (!begin)
		throw new Error("the page's script does not load an importer");
	script = replaced(script, /console\.log\(`speedscope v[^]*$/,
		`${begin}();return ${module}})()`);
	script = replaced(script, /^"use strict";\(\(\)=>/, '"use strict";return (()=>');
	const window = { addEventListener: nothing, location: nothing, localStorage: nothing };
	return new Function('window', 'document', script)(window, nothing);
}

/* A file may be longer than fs.readFileSync() takes. */
function contents(file) {
	const bytes = new Uint8Array(fs.statSync(file).size);
	const fd = fs.openSync(file);
	for (let at = 0; at < bytes.length;) {
		const count = fs.readSync(fd, bytes, at, Math.min(bytes.length - at, 1 << 30));
		if (!count)
			throw new Error(`${file} became shorter`);
		at += count;
	}
	return bytes.buffer;
}

async function main([folder, file]) {
	const importers = importer(folder);
	const group = await importers.importProfilesFromArrayBuffer(path.basename(file),
		contents(file));
	if (!group)
		throw new Error(`speedscope cannot import ${file}`);
	const total = group.profiles.reduce((sum, p) => sum + p.getTotalWeight(), 0);
	console.log(`total ${total}`);
}

main(process.argv.slice(2)).catch((err) => {
	console.error(String(err));
	process.exit(1);
});
