/* SPDX-License-Identifier: Apache-2.0 */
#include "native/refill_code.h"

#define ADDRESS 0x401000
#define ROOM 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint64_t calls[ROOM];
	int argument = refill_code_argument(data, len, ADDRESS);
	int count = refill_code_calls(data, len, ADDRESS, calls, ROOM);

	if (argument > 6 || argument == 0 || count < 0 || count > ROOM)
		__builtin_trap();
	for (int i = 0; i < count; i++)
		if (calls[i] - ADDRESS < len)
			__builtin_trap();
	return 0;
}
