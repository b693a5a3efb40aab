/* SPDX-License-Identifier: Apache-2.0 */
/* metrics - everything that is counted, in the Prometheus text format (version 0.0.4). */
#ifndef SPPROF_METRICS_H
#define SPPROF_METRICS_H

struct call;
struct sampler;

/* Answers @c, who must see all. In the sampler's thread. */
void metrics_report(struct call *c, struct sampler *s);

#endif
