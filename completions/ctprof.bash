# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion of ctprof: asks the program itself (core/command/cmd-complete.c).

_ctprof() {
	local line=${COMP_LINE:0:COMP_POINT} words=() current candidate strip='' value

	read -ra words <<<"$line"
	[[ $line != *[[:blank:]] ]] || words+=('')
	current=${words[-1]}
	value=${current#*=}
	# bash completes after the '=', but gets the whole word.
	[[ $current != *=* || $COMP_WORDBREAKS != *=* ]] || strip=${current%%=*}=
	COMPREPLY=()
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:more) compopt -o nospace ;;
		:files)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$value")
			;;
		:directories)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -d -- "$value")
			;;
		:snapshots)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -X '!*.ctprof.zst' -- "$value"; compgen -d -- "$value")
			[ ${#COMPREPLY[@]} != 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$value")
			;;
		:command) mapfile -t COMPREPLY < <(compgen -c -- "$value") ;;
		*) COMPREPLY+=("${candidate#"$strip"}") ;;
		esac
	done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F _ctprof ctprof
