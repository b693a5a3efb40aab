/* SPDX-License-Identifier: Apache-2.0 */
/* general_register - which of x86-64's sixteen a name of capstone's means. */
#ifndef SPPROF_GENERAL_REGISTER_H
#define SPPROF_GENERAL_REGISTER_H

#include <capstone/capstone.h>

#define GENERAL_REGISTERS 16

/* Its number as instructions encode it, whatever part of it @reg is; -1: it is of another kind. */
int general_register(x86_reg reg);

/* Which argument of a function register @number has, from 1 on; 0: none. */
int general_register_argument(int number);

#endif
