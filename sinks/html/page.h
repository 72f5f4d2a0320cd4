/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page.css and page.js, as the build put them into the plugin. */
#pragma once

extern const char page_css[];
extern const char page_js[];
