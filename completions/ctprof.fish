# SPDX-License-Identifier: LGPL-2.1-or-later
# fish completion of ctprof: asks the program itself (core/command/cmd-complete.c).

function __ctprof_complete
	set -l words (commandline -opc) (commandline -ct)

	for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
		switch $line
			case :more
			case :files :snapshots
				__fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1])
			case :directories
				__fish_complete_directories (string replace -r '^--[^=]*=' '' -- $words[-1]) ''
			case :command
				__fish_complete_subcommand --fcs-skip=2
			case '*'
				echo $line
		end
	end
end

complete -c ctprof -f -a '(__ctprof_complete)'
