/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What recognises a code object: its address and a key that is another one when the
 * address was recycled. Plain C over one seam, like the walk (py_walk.bpf.h).
 */
#ifndef SPPROF_PY_KEY_BPF_H
#define SPPROF_PY_KEY_BPF_H

#include "spprof_event.h"
#include "spprof_pylayout.h"

/* All @len bytes at @addr of the target, or non-zero. Never blocks on the target. */
static inline long sp_read_target(void *dst, __u32 len, __u64 addr);

#ifdef __bpf__
#define SP_INLINE static __always_inline
#else
#define SP_INLINE static inline
#endif

/* Makes clang bound @x itself and not a copy of it, which the verifier does not follow. */
#define SP_BARRIER(x) asm volatile("" : "+r"(x))

#define SP_PAGE_BYTES 4096
#define SP_KEY_BITS 48
#define SP_KEY_TEXT_BYTES 128 /* of a string object, from its length on */
#define SP_FRESH_MOST 128     /* code objects of one stack that user space may be told of */
#define SP_KNOWN_SETS 512     /* of code objects that user space was told of */
#define SP_KNOWN_WAYS 4
#define SP_COPIES 256 /* of bytecode, whose places are remembered */
#define SP_COPY_MOST (1u << 20)
#define SP_TLBC_ENTRIES 8 /* _PyCodeArray: Py_ssize_t size, then entries[] */

/* A code object that user space was told of. */
struct sp_known {
	__u64 code; /* address */
	__u64 key;
	__u32 epoch;	  /* of its process */
	__u32 generation; /* when its key was last read: sp_generation() */
};

/* The newest first: with one place each, two that share it would be told of for ever. */
struct sp_known_set {
	struct sp_known way[SP_KNOWN_WAYS];
};

/* A thread's copy of a code object's bytecode. */
struct sp_copy {
	__u64 code;
	__u64 at;
	__u32 index;	  /* which */
	__u32 epoch;	  /* of the process */
	__u32 generation; /* sp_copies_generation() */
	__u32 spare;
};

/* The keys' memory; too large for BPF's stack. */
struct sp_keys {
	__u32 epoch;	  /* of the process; 0: nothing is remembered */
	__u32 generation; /* of its code objects; 0: keys are read */
	__u32 fresh_count;
	__u32 copies_generation; /* of the bytecode's copies; 0: their places are read */
	__u64 block[(SP_CODE_KEY_BYTES + SP_KEY_TEXT_BYTES) / 8 + 1];
	__u16 fresh[SP_FRESH_MOST]; /* frames whose code object user space was not told of */
	struct sp_known_set known[SP_KNOWN_SETS]; /* across walks */
	struct sp_copy copies[SP_COPIES];	  /* across walks */
};

SP_INLINE __u64 sp_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

SP_INLINE __u64 sp_hash_words(__u64 hash, const __u64 *words, __u32 count, __u32 most)
{
	for (__u32 i = 0; i < most; i++) {
		if (i >= count)
			break;
		hash = sp_mix(hash, words[i]);
	}
	return hash;
}

/* Bytes of a str object from its length on: the text starts at @data and ends at @end. */
struct sp_key_text {
	__u64 length;
	__u32 width;
	__u32 data, end;
};

SP_INLINE struct sp_key_text sp_key_text_of(const struct sp_pylayout *at, const __u64 *text)
{
	struct sp_key_text t = { .length = text[0] };
	__u32 state_at = (__u32)(at->unicode_state - at->unicode_length) >> 3 & 7;
	__u32 state = (__u32)text[state_at] >> (at->unicode_kind & 31);

	t.width = state & 7; /* kind:3, compact:1, ascii:1 */
	t.data = (state & 1 << 4 ? at->ascii_size : at->compact_size) - at->unicode_length;
	t.end = t.length < SP_KEY_TEXT_BYTES ? t.data + t.length * t.width : SP_KEY_TEXT_BYTES;
	if (t.end > SP_KEY_TEXT_BYTES)
		t.end = SP_KEY_TEXT_BYTES;
	return t;
}

/*
 * The beginning of a string's text, and its length: nothing else of the object, as that
 * changes (its hash and its UTF-8 form are made when they are asked for), and nothing
 * behind it. Returns 0 if it could not be read.
 */
SP_INLINE __u64 sp_hash_text(const struct sp_pylayout *at, __u64 string, __u64 hash, __u64 *text)
{
	__u64 from = string + at->unicode_length;
	__u64 bytes = SP_PAGE_BYTES - (from & (SP_PAGE_BYTES - 1));
	struct sp_key_text t;
	__u32 first, words;

	/* The next page may be away, unless the string goes on there. */
	SP_BARRIER(bytes);
	if (bytes > SP_KEY_TEXT_BYTES || bytes < 40)
		bytes = SP_KEY_TEXT_BYTES;
	if (sp_read_target(text, bytes, from))
		return 0;
	t = sp_key_text_of(at, text);
	if (t.end > bytes) {
		if (sp_read_target(text, SP_KEY_TEXT_BYTES, from))
			return 0;
		t = sp_key_text_of(at, text);
	}
	first = t.data / 8;
	words = (t.end + 7) / 8 - first;
	if (t.end <= t.data)
		words = 0;
	if (t.end & 7)
		text[t.end >> 3 & 15] &= (1ull << 8 * (t.end & 7)) - 1;
	hash ^= t.length << 3 ^ t.width;
	for (__u32 i = 0; i < SP_KEY_TEXT_BYTES / 8; i++) {
		if (i >= words)
			break;
		hash = sp_mix(hash, text[(first + i) & 15]);
	}
	return hash ? hash : 1;
}

SP_INLINE __u32 sp_fold(__u64 hash)
{
	hash ^= hash >> 32;
	return (__u32)hash ? (__u32)hash : 1;
}

/* co_version, unique in an interpreter; 0: it has none, or has run out of them (3.12). */
SP_INLINE __u32 sp_code_version(const struct sp_pylayout *at, __u64 code)
{
	__u32 version = 0;

	if (at->code_version != SP_NO_FIELD)
		sp_read_target(&version, sizeof(version), code + at->code_version);
	return version;
}

/*
 * 48 bits that differ, but for one chance in 2^48, between any two code objects that were
 * at one address; co_version itself where there is one. 0: it could not be read.
 *
 * Without a version it is made of the words from co_firstlineno to co_linetable and, as
 * pointers all recur when code objects are made and dropped, of co_qualname's text.
 */
SP_INLINE __u64 sp_code_key(const struct sp_pylayout *at, __u64 code, struct sp_keys *k)
{
	__u32 version = sp_code_version(at, code);
	__u32 from, bytes, name_at;
	__u64 hash = code, name;

	if (version)
		return version;
	from = at->code_firstlineno & ~7u;
	bytes = (at->code_linetable + 8 - from) & (SP_CODE_KEY_BYTES - 1);
	name_at = (at->code_qualname - from) & (SP_CODE_KEY_BYTES - 8);
	if (sp_read_target(k->block, bytes, code + from))
		return 0;
	name = *(const __u64 *)((const __u8 *)k->block + name_at);
	hash = sp_hash_text(at, name, hash, k->block + SP_CODE_KEY_BYTES / 8);
	if (!hash)
		return 0;
	hash = sp_hash_words(hash, k->block, bytes / 8, SP_CODE_KEY_BYTES / 8) >>
	       (64 - SP_KEY_BITS);
	return hash ? hash : 1;
}

/*
 * Changes whenever a code object of the interpreter dies: as long as it does not, none was
 * recycled and keys need not be read again. From 3.14 on; 0 before.
 */
SP_INLINE __u32 sp_generation(const struct sp_pylayout *at, __u64 interp)
{
	__u64 words[2] = { 0, interp };

	if (!at->interp_code_generation ||
	    sp_read_target(&words[0], sizeof(words[0]), interp + at->interp_code_generation))
		return 0;
	return sp_fold(sp_hash_words(0, words, 2, 2));
}

/*
 * Changes whenever a code object of the interpreter dies, or a thread starts or ends: as long as
 * it does not, a thread's copies of bytecode stay where they are. 0: nothing is remembered.
 */
SP_INLINE __u32 sp_copies_generation(const struct sp_pylayout *at, __u64 interp, __u32 generation)
{
	__u64 words[2] = { 0, generation };

	if (!generation || !at->interp_tlbc_generation ||
	    sp_read_target(&words[0], sizeof(__u32), interp + at->interp_tlbc_generation))
		return 0;
	return sp_fold(sp_hash_words(0, words, 2, 2));
}

/* Where the copy @index of @code's bytecode is: co_tlbc->entries[index]. 0: not to be read. */
SP_INLINE __u64 sp_read_copy(const struct sp_pylayout *at, __u64 code, __u32 index,
			     struct sp_keys *k)
{
	struct sp_copy *known = &k->copies[(code >> 4 ^ code >> 12 ^ index) & (SP_COPIES - 1)];
	int is_kept = k->epoch && k->copies_generation;
	__u64 array, copy;

	if (is_kept && known->code == code && known->index == index && known->epoch == k->epoch &&
	    known->generation == k->copies_generation)
		return known->at;
	if (index >= SP_COPY_MOST || sp_read_target(&array, sizeof(array), code + at->code_tlbc) ||
	    sp_read_target(&copy, sizeof(copy), array + SP_TLBC_ENTRIES + index * 8))
		return 0;
	if (is_kept) {
		known->code = code;
		known->at = copy;
		known->index = index;
		known->epoch = k->epoch;
		known->generation = k->copies_generation;
	}
	return copy;
}

/* bpf/ makes a function of it that is verified once. */
#ifndef SP_READ_COPY
#define SP_READ_COPY(at, code, index, keys) sp_read_copy(at, code, index, keys)
#endif

SP_INLINE struct sp_known_set *sp_known_set_of(struct sp_keys *k, __u64 code)
{
	return &k->known[(code >> 4 ^ code >> 13) & (SP_KNOWN_SETS - 1)];
}

/* A frame's code object and key, as the record has them. */
SP_INLINE void sp_name_frame(struct sp_frame *f, __u64 code, __u64 key)
{
	f->code = code | key >> 32 << SP_CODE_BITS;
	f->key = (__u32)key;
}

SP_INLINE __u64 sp_frame_key(const struct sp_frame *f)
{
	return f->code >> SP_CODE_BITS << 32 | f->key;
}

/* 0: not known. */
SP_INLINE struct sp_known *sp_find_known(struct sp_keys *k, __u64 code)
{
	struct sp_known_set *set = sp_known_set_of(k, code);

	if (!k->epoch)
		return 0;
	for (__u32 i = 0; i < SP_KNOWN_WAYS; i++)
		if (set->way[i].code == code && set->way[i].epoch == k->epoch)
			return &set->way[i];
	return 0;
}

/* User space was told of it. */
SP_INLINE void sp_remember(struct sp_keys *k, __u64 code, __u64 key)
{
	struct sp_known_set *set = sp_known_set_of(k, code);

	for (__u32 i = SP_KNOWN_WAYS - 1; i > 0; i--)
		set->way[i] = set->way[i - 1];
	set->way[0].code = code;
	set->way[0].key = key;
	set->way[0].epoch = k->epoch;
	set->way[0].generation = k->generation;
}

/* The key of the code object of frame @n, read from it. */
SP_INLINE __u64 sp_read_key(const struct sp_pylayout *at, __u64 code, __u32 n, struct sp_keys *k)
{
	struct sp_known *known = sp_find_known(k, code);
	__u64 key = sp_code_key(at, code, k);

	if (known && known->key == key) {
		known->generation = k->generation;
	} else if (key && k->fresh_count < SP_FRESH_MOST) {
		k->fresh[k->fresh_count & (SP_FRESH_MOST - 1)] = n;
		k->fresh_count++;
	}
	return key;
}

/* bpf/ makes a function of it that is verified once. */
#ifndef SP_READ_KEY
#define SP_READ_KEY(at, code, n, keys) sp_read_key(at, code, n, keys)
#endif

/* The key of the code object of frame @n, read only if it may have changed. */
SP_INLINE __u64 sp_key_of(const struct sp_pylayout *at, __u64 code, __u32 n, struct sp_keys *k)
{
	if (k->generation) {
		const struct sp_known *known = sp_find_known(k, code);

		if (known && known->generation == k->generation)
			return known->key;
	}
	return SP_READ_KEY(at, code, n, k);
}

#endif
