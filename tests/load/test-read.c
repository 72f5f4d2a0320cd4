/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the forms that a snapshot may have, and the errors for other ones. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kit.h"

#define FORMAT "\"format\":{\"name\":\"ctprof\",\"version\":1}"
#define DEF(name, kind, unit, scope)                                                               \
	"{\"name\":\"" name "\",\"kind\":\"" kind "\",\"unit\":\"" unit "\",\"scope\":\"" scope    \
	"\",\"group\":\"g\",\"plugin\":\"p\",\"rank\":0,\"help\":\"\",\"origin\":\"\"}"
/* A field with text, one with a sign, one of the leader, and two that are not in the format. */
#define METRICS                                                                                    \
	"\"metrics\":[" DEF("comm", "label", "text", "thread") "," DEF(                            \
		"nice", "ordinal", "none",                                                         \
		"thread") "," DEF("nr_threads", "gauge", "none",                                   \
				  "process") "," DEF("x.m", "map", "text",                         \
						     "thread") "," DEF("x.n", "counter", "none",   \
								       "thread") "]"
#define THREADS(records) "\"threads\":[" records "]"
#define OWN(records) "{" FORMAT "," THREADS(records) "," METRICS ",\"presence_sets\":[{}]}"
#define RECORD(members) OWN("{\"tid\":2,\"tgid\":1," members ",\"presence\":0}")

#define OBJECTS(records)                                                                           \
	"{" FORMAT ",\"objects\":[" records                                                        \
	"]," THREADS("") ",\"metrics\":[" DEF("s", "level", "bytes", "object") "]}"

#define ROW(comm, nice, m, n)                                                                      \
	"thread 1/2 \n  comm = " comm "\n  nice = " nice                                           \
	"\n  nr_threads = !inapplicable\n  x.m = " m "\n  x.n = " n "\n"
#define NONE "!unsupported"

#define NO_SET "{\"tid\":2,\"tgid\":1,\"comm\":\"\",\"nice\":3}"
#define SET(set) "{\"tid\":2,\"tgid\":1,\"comm\":\"\",\"nice\":3,\"presence\":" set "}"
#define SET_0 ROW("\"\"", "+3", NONE, NONE)
#define SET_1 ROW("!denied", "!timeout", NONE, NONE)

#define BOTH_METRICS                                                                               \
	"\"metrics\":[" DEF("comm", "label", "text", "thread") "," DEF(                            \
		"nice", "ordinal", "none",                                                         \
		"thread") "," DEF("comm", "label", "text", "exit") "," DEF("run", "counter", "ns", \
									   "exit") "]"
#define EXITS                                                                                      \
	"{\"tid\":7,\"tgid\":7,\"comm\":\"a?\",\"comm_hex\":\"61ff\",\"run\":5,\"presence\":0},"   \
	"{\"run\":0,\"presence\":1,\"extra\":{\"run\":9},\"y\":[{}],\"tgid\":0,\"tid\":8},"        \
	"{\"tid\":7,\"tgid\":1,\"presence\":{\"timeout\":[\"run\"]}}"
#define EXIT_SETS "{},{\"denied\":[\"comm\"]}"
#define EXIT_ROWS                                                                                  \
	"thread 1/2 \n  comm = \"\"\n  nice = +3\n"                                                \
	"exit 7/7* \n  comm = \"a\\xff\"\n  run = 5\n"                                             \
	"exit 0/8 \n  comm = !denied\n  run = 0\n"                                                 \
	"exit 1/7 \n  comm = !unsupported\n  run = !timeout\n"

static const struct read_case {
	const char *what, *text, *rows;
} read_cases[] = {
	{"fields of a record",
	 RECORD("\"comm\":\"a\",\"nice\":-20,\"extra\":{\"x.m\":{\"k\":\"v\"},\"x.n\":7}"),
	 ROW("\"a\"", "-20", "{\"k\":\"v\" }", "7")},
	{"fields in another order, keys nobody knows, and blanks",
	 RECORD(" \"extra\" : { \"x.n\" : 18446744073709551615 , \"y\" : [ 1 , { } , null ] } ,\n"
		"\t\"z\" : -1.5e+3 , \"nice\" : 19 ,\r\n\"comm\" : \"\" "),
	 ROW("\"\"", "+19", NONE, "18446744073709551615")},
	{"keys written with escapes", RECORD("\"\\u0063omm\":\"a\",\"\\u006eice\":1"),
	 ROW("\"a\"", "+1", NONE, NONE)},
	{"text with escapes",
	 RECORD("\"comm\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\udc27\""),
	 ROW("\"\\x22\\x5c/\\x08\\x0c\\x0a\\x0d\\x09\\xc3\\xa9\\xf0\\x9f\\x90\\xa7\"", NONE, NONE,
	     NONE)},
	{"bytes in hex count, whether they come before the text or behind it",
	 RECORD("\"comm_hex\":\"61ff\",\"comm\":\"a?\""), ROW("\"a\\xff\"", NONE, NONE, NONE)},
	{"bytes in hex behind the text", RECORD("\"comm\":\"a?\",\"comm_hex\":\"61ff\""),
	 ROW("\"a\\xff\"", NONE, NONE, NONE)},
	{"of equal keys in a map the last counts, and order does not",
	 RECORD("\"extra\":{\"x.m\":{\"b\":\"1\",\"a\":\"2\",\"b\":\"3\"}}"),
	 ROW(NONE, NONE, "{\"a\":\"2\" \"b\":\"3\" }", NONE)},
	{"a placeholder is no value",
	 "{" FORMAT "," THREADS(
		 "{\"tid\":2,\"tgid\":1,\"comm\":\"\",\"nice\":0,\"presence\":1}") "," METRICS
										   ",\"presence_sets\":[{},{\"denied\":[\"comm\",\"x.n\"],\"timeout\":[\"nice\"]}]}",
	 ROW("!denied", "!timeout", NONE, "!denied")},
	{"sets change from record to record",
	 "{" FORMAT "," THREADS(SET("1") "," SET("1") "," SET("{\"vanished\":[\"nice\"]}") "," SET(
		 "1") "," NO_SET
		      "," SET("1") "," SET(
			      "0")) "," METRICS
				    ",\"presence_sets\":[{},{\"denied\":[\"comm\"],\"timeout\":[\"nice\"]}]}",
	 SET_1 SET_1 ROW("\"\"", "!vanished", NONE, NONE) SET_1 SET_0 SET_1 SET_0},
	{"a record with a set of its own",
	 OWN("{\"tid\":2,\"tgid\":1,\"presence\":{\"vanished\":[\"nice\"]},\"nice\":0}"),
	 ROW(NONE, "!vanished", NONE, NONE)},
	{"a reason and a name of a later version",
	 OWN("{\"tid\":2,\"tgid\":1,\"presence\":{\"eaten\":[\"nice\",\"q\"]},\"nice\":0}"),
	 ROW(NONE, NONE, NONE, NONE)},
	{"sets and metrics before everything, format behind",
	 "{\"presence_sets\":[{\"invalid\":[\"x.n\"]}]," METRICS
	 "," THREADS("{\"presence\":0,\"tgid\":1,\"tid\":2,\"nice\":3}") "," FORMAT "}",
	 ROW(NONE, "+3", NONE, "!invalid")},
	{"metrics of a later version's sorts are left out",
	 "{" FORMAT
	 "," THREADS("{\"tid\":2,\"tgid\":1,\"nice\":3,\"presence\":0}") ",\"metrics\":[" DEF(
		 "nice", "ordinal", "none",
		 "thread") "," DEF("x", "smell", "none",
				   "thread") "," DEF("y", "counter", "unknown",
						     "thread") "," DEF("nice", "counter", "none",
								       "thread") ",{}],\"presence_sets\":[{}]}",
	 "thread 1/2 \n  nice = +3\n"},
	{"a metric whose place an object has",
	 "{" FORMAT
	 "," THREADS("") ",\"cgroup_stats\":{\"/a\":{\"memory\":{\"current\":5}}},\"metrics\":[" DEF(
		 "memory", "gauge", "none", "cgroup") "," DEF("memory.current", "gauge", "bytes",
							      "cgroup") "]}",
	 "cgroup \"/a\"\n  memory = !skipped\n  memory.current = 5\n"},
	{"limits, and those there are none of",
	 "{" FORMAT "," THREADS(
		 "") ",\"cgroup_stats\":{\"/a\":{\"memory\":{\"max\":null,\"high\":null,\"low\":null},"
		     "\"pids\":{\"max\":7},\"absent\":{\"denied\":[\"memory.high\"]}}},\"metrics\":[" DEF(
			     "memory.max", "gauge", "bytes",
			     "cgroup") "," DEF("memory.high", "gauge", "bytes",
					       "cgroup") "," DEF("memory.low", "gauge", "bytes",
								 "cgroup") "," DEF("pids.max",
										   "gauge", "none",
										   "cgroup") "]}",
	 "cgroup \"/a\"\n  memory.high = !denied\n  memory.low = !skipped\n"
	 "  memory.max = 18446744073709551615\n  pids.max = 7\n"},
	{"cgroups whose paths look alike",
	 "{" FORMAT "," THREADS(
		 "") ",\"cgroup_stats\":{\"/?\":{\"path_hex\":\"2fff\",\"q\":1},\"/?\":{\"path_hex\":"
		     "\"2ffe\",\"q\":2}},\"metrics\":[" DEF("q", "gauge", "none", "cgroup") "]}",
	 "cgroup \"/\\xff\"\n  q = 1\ncgroup \"/\\xfe\"\n  q = 2\n"},
	{"host and capture values, nested, with bytes, absent, and in extra",
	 "{" FORMAT "," THREADS(
		 "") ",\"host\":{\"a\":{\"b\":\"?\",\"b_hex\":\"ff\"},\"absent\":{\"denied\":[\"host.c\"]}},"
		     "\"extra\":{\"e\":{\"f\":true}},\"parse_summary\":{\"tids_walked\":9},\"metrics\":[" DEF(
			     "host.a.b", "label", "text",
			     "host") "," DEF("host.c", "gauge", "none",
					     "host") "," DEF("e.f", "category", "bool",
							     "capture") "," DEF("parse_summary.tids_walked",
										"counter", "none",
										"capture") "]}",
	 "host \n  host.a.b = \"\\xff\"\n  host.c = !denied\ncapture \n  e.f = 1\n"
	 "  parse_summary.tids_walked = 9\n"},
	{"exits beside threads, of the same names, in any order, with bytes, and of no process",
	 "{" FORMAT "," THREADS(
		 "{\"tid\":2,\"tgid\":1,\"comm\":\"\",\"nice\":3,\"presence\":0}") ",\"exits\":[" EXITS
										   "]," BOTH_METRICS
										   ",\"presence_sets\":[{}],\"exit_presence_sets\":[" EXIT_SETS
										   "]}",
	 EXIT_ROWS},
	{"exits before their sets, which come before the metrics, and threads' after",
	 "{\"exit_presence_sets\":[" EXIT_SETS "],\"exits\":[" EXITS "]," BOTH_METRICS
	 ",\"presence_sets\":[{}]," THREADS(
		 "{\"tid\":2,\"tgid\":1,\"comm\":\"\",\"nice\":3,\"presence\":0}") "," FORMAT "}",
	 EXIT_ROWS},
	{"the same the other way round",
	 "{\"presence_sets\":[{}]," BOTH_METRICS ",\"exit_presence_sets\":[" EXIT_SETS
	 "],\"exits\":[" EXITS "]," THREADS(
		 "{\"tid\":2,\"tgid\":1,\"comm\":\"\",\"nice\":3,\"presence\":0}") "," FORMAT "}",
	 EXIT_ROWS},
	{"objects: of the group's metrics only, in any order, twice, with bytes, and of a group "
	 "nobody knows",
	 "{" FORMAT ",\"objects\":["
	 "{\"group\":\"g\",\"name\":\"a\",\"s\":7,\"w\":\"?\",\"w_hex\":\"ff\"},"
	 "{\"s\":8,\"absent\":{\"denied\":[\"w\",\"q\"]},\"name\":\"a\",\"group\":\"g\"},"
	 "{\"group\":\"later\",\"name\":\"b\",\"s\":9},"
	 "{\"group\":\"g\",\"name\":\"?\",\"name_hex\":\"fe\",\"y\":[{}]}"
	 "]," THREADS("") ",\"metrics\":[" DEF("s", "level", "bytes", "object") "," DEF(
		 "w", "label", "text", "object") "," DEF("name", "label", "text", "object") "]}",
	 "object g \"a\"\n  name = !unsupported\n  s = 7\n  w = \"\\xff\"\n"
	 "object g \"a\"\n  name = !unsupported\n  s = 8\n  w = !denied\n"
	 "object g \"\\xfe\"\n  name = !unsupported\n  s = !skipped\n  w = !skipped\n"},
	{"objects of a version that knows none",
	 "{" FORMAT
	 ",\"objects\":[{\"group\":\"g\",\"name\":\"a\"}],\"metrics\":[]," THREADS("") "}",
	 ""},
	{"nothing but what must be there", "{" FORMAT ",\"metrics\":[]," THREADS("") "}", ""},
};

static void test_read(gconstpointer data)
{
	const struct read_case *c = data;
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;

	kit_write_text(kit, c->text);
	g_autofree char *rows = kit_load(kit, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(rows, ==, c->rows);
}

/* ---- errors ----------------------------------------------------------- */

static const struct error_case {
	const char *what, *text, *error;
} error_cases[] = {
	{"no object", "[]", "byte 0: " NO_SNAPSHOT "expected '{' in the snapshot, found '['"},
	{"nothing", "", "byte 0: " NO_SNAPSHOT "expected '{' in the snapshot, found end of data"},
	{"an object of another sort", "{\"a\":1}",
	 "byte 7: " NO_SNAPSHOT "expected a member threads in the snapshot, found its end"},
	{"more behind it", OWN("") " x",
	 "byte 684: expected nothing more in the snapshot, found 'x'"},
	{"a format that is not ours", "{\"format\":{\"name\":\"perf\"}}",
	 "byte 25: expected the name \"ctprof\" in format, found perf"},
	{"a later version", "{\"format\":{\"name\":\"ctprof\",\"version\":2}}",
	 "byte 39: expected version 1 in format, found 2"},
	{"an end in the middle of a record", "{" FORMAT ",\"threads\":[{\"tid\":1",
	 "byte 59: expected ',' or '}' in a thread record, found end of data"},
	{"an end in the middle of a string", "{" FORMAT ",\"threads\":[{\"tid",
	 "byte 56: expected '\"' in a thread record, found end of data"},
	{"no comma", RECORD("\"comm\":\"a\" \"nice\":1"),
	 "byte 80: expected ',' or '}' in a thread record, found '\"'"},
	{"a comma too many", RECORD("\"comm\":\"a\","),
	 "byte 80: expected a key in a thread record, found ','"},
	{"no colon", RECORD("\"comm\",\"a\""),
	 "byte 75: expected ':' in a thread record, found ','"},
	{"a word that is none", RECORD("\"x\":nil"),
	 "byte 73: expected null in a thread record, found 'n'"},
	{"a number with a leading zero", RECORD("\"nice\":01"),
	 "byte 76: expected a number in a thread record, found 01"},
	{"a number that goes on as none", RECORD("\"nice\":1x"),
	 "byte 77: expected ',' or '}' in a thread record, found 'x'"},
	{"a skipped number that is none", RECORD("\"x\":1.e5"),
	 "byte 73: expected a number in a thread record, found 1.e5"},
	{"a control byte in a string", RECORD("\"comm\":\"a\nb\""),
	 "byte 78: expected no control byte in a thread record, found byte 0x0a"},
	{"an escape that is none", RECORD("\"comm\":\"\\x41\""),
	 "byte 77: expected an escape of JSON in a thread record, found \\x41"},
	{"half a surrogate pair", RECORD("\"comm\":\"\\ud83d\""),
	 "byte 77: expected an escape of JSON in a thread record, found \\ud83d"},
	{"the other half", RECORD("\"comm\":\"\\udc27\""),
	 "byte 77: expected an escape of JSON in a thread record, found \\udc27"},
	{"a string that is no UTF-8", RECORD("\"comm\":\"\xff\""),
	 "byte 77: expected UTF-8 in a thread record, found byte 0xff"},
	{"NUL", RECORD("\"comm\":\"a\\u0000\""),
	 "byte 85: expected a text without NUL in a thread record, found one"},
	{"a key twice", RECORD("\"nice\":1,\"nice\":1"),
	 "byte 85: expected each key once in a thread record, found a second nice"},
	{"extra twice", RECORD("\"extra\":{},\"extra\":{}"),
	 "byte 88: expected each key once in a thread record, found a second extra"},
	{"bytes twice", RECORD("\"comm_hex\":\"61\",\"comm_hex\":\"61\""),
	 "byte 96: expected each key once in a thread record, found a second comm"},
	{"bytes that are no hex", RECORD("\"comm_hex\":\"6\""),
	 "byte 83: expected bytes in lower-case hex in a thread record, found 6"},
	{"hex in capitals", RECORD("\"comm_hex\":\"6A\""),
	 "byte 84: expected bytes in lower-case hex in a thread record, found 6A"},
	{"a key of the top twice", "{" FORMAT "," THREADS("") "," THREADS("") "}",
	 "byte 63: expected each key once in the snapshot, found a second threads"},
	{"a text for a number", RECORD("\"nice\":\"1\""),
	 "byte 76: expected an integer of 32 bits in a thread record, found '\"'"},
	{"a number for a text", RECORD("\"comm\":1"),
	 "byte 76: expected a string in a thread record, found '1'"},
	{"null for a text", RECORD("\"comm\":null"),
	 "byte 76: expected a string in a thread record, found 'n'"},
	{"a fraction", RECORD("\"nice\":1.0"),
	 "byte 76: expected an integer of 32 bits in a thread record, found 1.0"},
	{"a number that does not fit its field", RECORD("\"nice\":2147483648"),
	 "byte 76: expected an integer of 32 bits in a thread record, found 2147483648"},
	{"a number below what fits", RECORD("\"extra\":{\"x.n\":-1}"),
	 "byte 84: expected an integer of 64 bits, 0 or more in a thread record, found -1"},
	{"a number of more than 64 bits", RECORD("\"extra\":{\"x.n\":18446744073709551616}"),
	 "byte 84: expected an integer of 64 bits, 0 or more in a thread record, found 18446744073709551616"},
	{"a record without tgid", OWN("{\"tid\":1,\"presence\":0}"),
	 "byte 73: expected a tid and a tgid in a thread record, found its end"},
	{"a tid that is none", OWN("{\"tid\":4294967295,\"tgid\":1,\"presence\":0}"),
	 "byte 91: expected a tid and a tgid of 31 bits in a thread record, found more"},
	{"a set there is none of", OWN("{\"tid\":1,\"tgid\":1,\"presence\":1}"),
	 "byte 80: expected a presence below 1 in a thread record, found 1"},
	{"CPUs that do not ascend", "{\"threads\":[{\"tid\":1,\"tgid\":1,\"cpu_affinity\":[1,1]}]}",
	 "byte 49: expected CPU numbers in ascending order in a thread record, found one out of order"},
	{"a state of two letters", "{\"threads\":[{\"tid\":1,\"tgid\":1,\"state\":\"Ss\"}]}",
	 "byte 42: expected one ASCII character in a thread record, found Ss"},
	{"an exit without a thread", "{" FORMAT ",\"exits\":[{\"tgid\":1}]," THREADS("") "}",
	 "byte 59: expected a tid and a tgid in an exit record, found its end"},
	{"an exit's tid twice", "{" FORMAT ",\"exits\":[{\"tid\":1,\"tid\":1}]," THREADS("") "}",
	 "byte 64: expected each key once in an exit record, found a second tid"},
	{"an exit's presence that is none",
	 "{" FORMAT ",\"exits\":[{\"tid\":1,\"tgid\":1,\"presence\":0}]," THREADS("") "}",
	 "byte 78: expected no presence, as there are no sets in an exit record, found '0'"},
	{"an object without a name", OBJECTS("{\"group\":\"g\",\"name\":\"\"}"),
	 "byte 74: expected a group and a name in an object, found its end"},
	{"an object without a group", OBJECTS("{\"name\":\"a\"}"),
	 "byte 63: expected a group and a name in an object, found its end"},
	{"an object's name that is no text", OBJECTS("{\"group\":\"g\",\"name\":1}"),
	 "byte 71: expected a string in an object, found '1'"},
	{"an object's name twice", OBJECTS("{\"name\":\"a\",\"name\":\"a\"}"),
	 "byte 70: expected each key once in an object, found a second name"},
	{"objects that are no list", "{" FORMAT ",\"objects\":{}," THREADS("") "}",
	 "byte 50: expected '[' in objects, found '{'"},
	{"an object that is none", OBJECTS("7"), "byte 51: expected '{' in an object, found '7'"},
	{"a map with an empty key", RECORD("\"extra\":{\"x.m\":{\"\":\"\"}}"),
	 "byte 88: expected a key of 1 to 255 bytes without NUL in a thread record, found nothing"},
};

static void assert_error(Kit *kit, const LoadLimits *limits, const char *expected)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *rows = kit_load(kit, limits, &error);
	g_autofree char *whole = g_strdup_printf("%s: %s", kit_path(kit), expected);

	g_assert_null(rows);
	g_assert_nonnull(error);
	g_assert_cmpstr(error->message, ==, whole);
}

static void test_error(gconstpointer data)
{
	const struct error_case *c = data;
	g_autoptr(Kit) kit = kit_new();

	kit_write_text(kit, c->text);
	assert_error(kit, NULL, c->error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(read_cases); i++) {
		g_autofree char *name = g_strconcat("/load/read/", read_cases[i].what, NULL);

		g_test_add_data_func(name, &read_cases[i], test_read);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(error_cases); i++) {
		g_autofree char *name = g_strconcat("/load/error/", error_cases[i].what, NULL);

		g_test_add_data_func(name, &error_cases[i], test_error);
	}
	return g_test_run();
}
