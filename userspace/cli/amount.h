/* SPDX-License-Identifier: Apache-2.0 */
/* amount - bytes for a reader: "6.5 MiB", "812.0 KiB", "96 B". */
#ifndef SPPROF_CLI_AMOUNT_H
#define SPPROF_CLI_AMOUNT_H

#define AMOUNT_ROOM 32

/* @text of @bytes, a finite number; returns @text. */
const char *amount_bytes(double bytes, char text[AMOUNT_ROOM]);

/* The same with its sign, also of what is above 0. */
const char *amount_change(double bytes, char text[AMOUNT_ROOM]);

#endif
