# The rules of docs/specification as lines `page:line TAB ids TAB linker TAB tests`, for ./run rules; `-` is none.
#
# A rule is a heading that begins with a rule's id, followed by text and by lines that begin with `Linker:` and `Test:`,
# or a row of a table whose head begins with `| id |` and has columns `linker` (or `function`) and `test` (or `job`), or `linker, test` with a
# semicolon between. What stands in backquotes there is a name.
function names(text,   found, list) {
  list = ""
  while (match(text, /`[^`]+`/)) {
    found = substr(text, RSTART + 1, RLENGTH - 2)
    list = list (list == "" ? "" : " ") found
    text = substr(text, RSTART + RLENGTH)
  }
  return list
}
function close_rule() {
  if (ids != "") printf "%s:%d\t%s\t%s\t%s\n", page, at, ids, linker == "" ? "-" : linker, tests == "" ? "-" : tests
  ids = linker = tests = ""
}
function leading_ids(text,   list, word, more) {
  list = ""
  do {
    if (!match(text, /^[A-Z]+[0-9]+(\.[0-9]+)?[a-z]?(-[A-Z]*[0-9]+(\.[0-9]+)?[a-z]?)?/)) break
    word = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    if (text !~ /^($|[ ,])/) break
    list = list (list == "" ? "" : " ") word
    more = sub(/^, */, "", text)
  } while (more)
  return list
}
FNR == 1 { close_rule(); page = FILENAME; sub(/.*\//, "", page); columns = 0 }
/^#/ {
  close_rule()
  columns = 0
  heading = $0
  sub(/^#+ +/, "", heading)
  ids = leading_ids(heading)
  at = FNR
  next
}
/^\| *id *\|/ {
  close_rule()
  columns = split($0, head, "|")
  for (i = 1; i <= columns; i++) gsub(/^ +| +$/, "", head[i])
  next
}
columns && /^\| *-/ { next }
columns && /^\|/ {
  close_rule()
  row = $0
  gsub(/\\\|/, "\001", row)
  count = split(row, cell, "|")
  word = cell[2]
  gsub(/^ +| +$/, "", word)
  ids = leading_ids(word)
  at = FNR
  for (i = 3; i <= count; i++) {
    if (head[i] == "linker" || head[i] == "function") linker = names(cell[i])
    if (head[i] == "test" || head[i] == "job") tests = names(cell[i])
    if (head[i] == "linker, test") {
      split(cell[i], half, ";")
      linker = names(half[1])
      tests = names(half[2])
    }
  }
  close_rule()
  next
}
{ columns = 0 }
/^Linker:/ { part = "linker" }
/^Tests?:/ { part = "test" }
/^$/ { part = "" }
part == "linker" { linker = linker (linker == "" ? "" : " ") names($0) }
part == "test" { tests = tests (tests == "" ? "" : " ") names($0) }
END { close_rule() }
