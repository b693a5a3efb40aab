/* SPDX-License-Identifier: Apache-2.0 */
/* What the self-check knows of objects of 3.8 to 3.10. Held against the headers by tests/tools. */
#ifndef SPPROF_CHECK_OBJECTS_H
#define SPPROF_CHECK_OBJECTS_H

#define OLD_CODE_AFTER_LINETABLE 56 /* from co_linetable or co_lnotab to the end of PyCodeObject */
#define OLD_CODE_BEHIND_LINE 8	    /* from co_firstlineno to co_code */
#define OLD_FRAME_AFTER_LASTI 264   /* from f_lasti to the end of PyFrameObject */

#endif
