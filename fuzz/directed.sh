#!/usr/bin/env bash
# Builds a directed engine (directed.c) for one change of the linker: a program of the linker with the change, of the one before it,
# and of the reference.
#
#   directed.sh OUT CHANGED-BUILD BEFORE-BUILD FILE=SOURCE...
#
# Both builds are directories of the preset release, of two trees or of one. SOURCE is what FILE (linker/cubin/code.c) is with the
# change, "-" for what stands in the tree of CHANGED-BUILD; it is compiled so that each basic block and comparison tells that it runs.
# Whatever else has changed is in the build's library. The lines that differ between the two trees are what is aimed at; of what
# stands outside of functions, the lines that name it. A header is no program, but its inline functions have blocks of code in those
# that read it. Where nothing is left to be aimed at, OUT/places is empty, and every link counts as one that comes there.
#
# The same files as they were before are compiled so, too: what a dropped condition or statement asked and did stands only there.
#
# OUT/directed is the program, OUT/places its list of blocks; OUT/voter-before.o, if it is there, is not compiled again.
# 3: a file makes no program (a fault in it, for those who plant some).
set -euo pipefail
out=$(realpath -m "$1") changed=$(realpath "$2") before=$(realpath "$3")
shift 3
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
mkdir -p "$out/source"
: >"$out/log"

tree_of() { sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt"; }
changed_tree=$(tree_of "$changed") before_tree=$(tree_of "$before")

command_of() { ninja -C "$1" -t commands -s "$2" | tail -n 1 | sed -E 's| -M[FT] [^ ]+||g; s| -MD||'; } # BUILD OUTPUT

# One file of a tree, traced. What is seldom used by the compiler stays as it is written: -O0.
compile_traced() { # BUILD TREE FILE SOURCE OBJECT
  local object=linker/CMakeFiles/twinlink_core.dir/${3#linker/}.o command
  [[ -e $1/$object ]] || return 1
  command=$(command_of "$1" "$object")
  command=${command/ -Werror / -Wno-error -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=implicit-function-declaration -iquote $2/${3%/*} }
  command=${command/ -o $object/ -O0 -g -fsanitize-coverage=trace-pc,trace-cmp -o $5}
  (cd "$1" && eval "${command/ -c $2\/$3/ -c $4}") >>"$out/log" 2>&1
}

# The voter of a linker in this tree's words, with that linker's headers. Its memory is the engine's.
compile_voter() { # BUILD TREE OBJECT
  local object=fuzz/CMakeFiles/fuzz_voter_linker.dir/voter_linker.c.o command
  command=$(command_of "$changed" "$object")
  command=${command/ -o $object/ -Dmalloc=directed_malloc -Dfree=directed_free -Dfuzz_memory=directed_memory -o $3}
  command=${command//-I$changed_tree\/linker/-I$2\/linker}
  (cd "$changed" && eval "${command/ -c $changed_tree\/fuzz/ -c $root\/fuzz}") >>"$out/log" 2>&1
}

# A linker as one function.
make_member() { # BUILD VOTER NAME OBJECT...
  local build=$1 voter=$2 name=$3
  ld -r -o "$out/$name.all" -u fuzz_link_linker "${@:4}" "$voter" --start-group "$build/linker/libtwinlink_command.a" \
    "$build/linker/libtwinlink.a" --end-group >>"$out/log" 2>&1
  objcopy --keep-global-symbol=fuzz_link_linker "$out/$name.all"
  objcopy --redefine-sym "fuzz_link_linker=fuzz_link_$name" "$out/$name.all" "$out/$name.o"
  rm -f "$out/$name.all"
}

link_program() {
  local command
  command=$(command_of "$changed" fuzz/fuzz_directed)
  command=${command/fuzz\/CMakeFiles\/fuzz_directed.dir\/directed_stub.c.o/$out\/changed.o $out\/before.o}
  (cd "$changed" && eval "${command/ -o fuzz\/fuzz_directed/ -o $out\/directed}") >>"$out/log" 2>&1
}

# "NAME<TAB>LINE" of each line of a text that differs from another one, and the one behind what was taken away.
list_lines() { # NAME OTHER SOURCE
  { diff -U0 "$2" "$3" || true; } | awk -v file="$1" '
    /^@@/ { split(substr($3, 2), at, ","); count = at[2] == "" ? 1 : at[2]
            for (i = 0; i < count; i++) print file "\t" at[1] + i
            if (!count) { print file "\t" at[1]; print file "\t" at[1] + 1 } }'
}

# Where a line stands: in a function, in a static table of one, or outside. For what stands outside, a table or a row of constants, the
# lines of functions that name it are aimed at, and the whole file only where there are none.
list_places() { # SOURCE
  awk -F'\t' '
    FILENAME == "-" { asked[$2] = 1; file = $1; next }
    { text[FNR] = $0; last = FNR; if ($0 ~ /^}/) { for (i = begun + 1; i <= FNR; i++) inside[i] = $0 == "}" && i < FNR && i > open; begun = FNR; open = 0 }
      if ($0 == "{" || $0 ~ /^[^ #].*\) \{$/) open = FNR; if ($0 ~ /^[^ ].*;$/ || $0 ~ /^#/) if (!open) begun = FNR }
    function table(line,  i, found) {
      for (i = line; i > 0 && text[i] !~ /^[^ ]/; i--) if (text[i] ~ /^ +static /) found = i
      for (i = found; found && i < line; i++) if (text[i] ~ /;$/) found = 0
      return found
    }
    function users(line,  i, name, names, count, n, k, found) {
      for (i = line; i > 0 && text[i] !~ /^[^ }]/; i--);
      n = split(text[line] " " text[i], names, /[^A-Za-z0-9_]+/)
      for (i = 1; i <= last; i++)
        if (inside[i])
          for (k = 1; k <= n; k++)
            if (length(names[k]) > 4 && names[k] !~ /^(static|const|enum|struct|typedef|uint[0-9]+_t|size_t|bool|unsigned|char|NULL|true|false)$/ &&
                text[i] ~ "(^|[^A-Za-z0-9_])" names[k] "($|[^A-Za-z0-9_])") { print file "\t" i "\tfunction"; found = 1; break }
      return found
    }
    END {
      for (line in asked) {
        if (inside[line]) print file "\t" line "\t" (table(line + 0) ? "table" : "function")
        else if (!users(line + 0)) print file "\t" line "\toutside"
      }
    }' - "$1"
}

# "ADDRESS LEVEL" of each block: 3 in a line of the change, 2 in the nearest line before it in its function, 1 in its function, 0 in
# its file.
list_blocks() {
  objdump -d --no-show-raw-insn "$out/directed" |
    awk 'called { sub(/:$/, "", $1); print "0x" $1; called = 0 } /call .*__sanitizer_cov_trace_pc>/ { called = 1 }' >"$out/addresses"
  while read -r address; do printf '0x%x\n' $((address - 1)); done <"$out/addresses" >"$out/calls" # the call's line is the block's
  addr2line -f -e "$out/directed" <"$out/calls" | paste - - "$out/addresses" |
    sed -E 's/ \(discriminator [0-9]+\)//; s,\t[^\t]*/before/linker/,\tbefore-linker/,; s,\t[^\t]*/linker/,\tlinker/,
      s,^([^\t]*)\t([^\t:]*):([0-9]+)\t(.*)$,\2\t\3\t\4\t\1,' >"$out/blocks"
  awk -F'\t' '
    NR == FNR { file[FNR] = $1; line[FNR] = $2 + 0; address[FNR] = $3; name[FNR] = $4; count = FNR; level[FNR] = 0; next }
    {
      best = 0; before = 0
      for (i = 1; i <= count; i++)
        if (file[i] == $1 && line[i] <= $2 && line[i] >= best) { best = line[i]; in_name = name[i] }
      for (i = 1; i <= count; i++)
        if (file[i] == $1 && name[i] == in_name && line[i] < $2 && line[i] > before) before = line[i]
      for (i = 1; i <= count; i++) {
        if (file[i] != $1) continue
        new = 0
        if ($3 == "outside") new = 3
        else if (best && name[i] == in_name) new = $3 == "table" || line[i] == $2 ? 3 : line[i] == before ? 2 : 1
        if (new > level[i]) level[i] = new
      }
    }
    END { for (i = 1; i <= count; i++) any = any || level[i] > 1; for (i = 1; any && i <= count; i++) print address[i], level[i] }' \
    "$out/blocks" "$out/aims" >"$out/places"
}

objects=() objects_before=()
: >"$out/aims"
for word in "$@"; do
  file=${word%%=*} source=${word#*=}
  [[ $source != - ]] || source=$changed_tree/$file
  mkdir -p "$out/source/${file%/*}"
  cp "$source" "$out/source/$file"
  was=$out/before/$file
  mkdir -p "${was%/*}"
  if [[ -e $before_tree/$file ]]; then cp "$before_tree/$file" "$was"; else : >"$was"; fi
  list_lines "$file" "$was" "$out/source/$file" | list_places "$out/source/$file" >>"$out/aims"
  list_lines "before-$file" "$out/source/$file" "$was" | list_places "$was" >>"$out/aims"
  [[ $file == *.c ]] || continue
  object=$out/source/$file.o
  compile_traced "$changed" "$changed_tree" "$file" "$out/source/$file" "$object" || exit 3
  objects+=("$object")
  [[ ! -s $was ]] || ! compile_traced "$before" "$before_tree" "$file" "$was" "$was.o" || objects_before+=("$was.o")
done
compile_voter "$changed" "$changed_tree" "$out/voter.o"
make_member "$changed" "$out/voter.o" changed "${objects[@]}"
[[ -e $out/voter-before.o ]] || compile_voter "$before" "$before_tree" "$out/voter-before.o"
make_member "$before" "$out/voter-before.o" before ${objects_before[@]+"${objects_before[@]}"}
link_program
list_blocks
rm -f "$out/addresses" "$out/calls"
