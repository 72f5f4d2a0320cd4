/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers of a scheduler, in the form that its protocol uses. */
#pragma once

#define ANSWER(resp) "{\"errno\":0,\"args\":{\"resp\":" resp "}}"

#define META_RESPONSE                                                                              \
	"{\"Group\":{\"name\":\"Group\",\"desc\":\"one group\",\"user\":{\"_om_prefix\":\"g_\"},"  \
	"\"fields\":{"                                                                             \
	"\"cpus\":{\"array\":\"u64\",\"desc\":\"mask\",\"user\":{\"_om_skip\":\"true\"}},"         \
	"\"lats\":{\"array\":\"float\",\"desc\":\"mean latency by cache\"},"                       \
	"\"moves\":{\"datum\":\"u64\",\"desc\":\"threads moved\"},"                                \
	"\"offset\":{\"datum\":\"i64\",\"desc\":\"below 0 if late\"},"                             \
	"\"util\":{\"datum\":\"float\",\"desc\":\"CPU utilization %\"}}},"                         \
	"\"Whole\":{\"name\":\"Whole\",\"top\":\"true\",\"fields\":{"                              \
	"\"at\":{\"datum\":\"u64\"},"                                                              \
	"\"by_cause\":{\"dict\":{\"key\":\"string\",\"datum\":\"u64\"}},"                          \
	"\"first\":{\"datum\":{\"struct\":\"Group\"}},"                                            \
	"\"groups\":{\"dict\":{\"key\":\"string\",\"datum\":{\"struct\":\"Group\"}}},"             \
	"\"mode\":{\"datum\":\"string\",\"desc\":\"how it decides\"}}}}"

#define STATS_RESPONSE                                                                             \
	"{\"at\":18446744073709551615,\"by_cause\":{\"idle\":3,\"tick\":0},"                       \
	"\"first\":{\"moves\":1},"                                                                 \
	"\"groups\":{"                                                                             \
	"\"batch\":{\"cpus\":[3735928559,1],\"lats\":[0.0015,2],\"moves\":12,\"offset\":-5,"       \
	"\"util\":150.25,\"unknown\":1},"                                                          \
	"\"r\\u00e9st \\\"x\\\"\":{\"moves\":0,\"offset\":7,\"util\":0.0}},"                       \
	"\"mode\":\"auto\"}"
