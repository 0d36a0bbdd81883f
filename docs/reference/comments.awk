# SPDX-License-Identifier: BSD-3-Clause
# Plain comments of a header as Doxygen reads them: a comment on its own line becomes `///`, one after
# a member `///<`. Text inside is kept literal: formulas such as y_i < 0, @ and \ are no commands.
function literal(text) {
  gsub(/\\/, "\\\\\\\\", text)
  gsub(/@/, "\\@", text)
  gsub(/</, "\\<", text)
  gsub(/>/, "\\>", text)
  gsub(/#/, "\\#", text)
  gsub(/\*/, "\\*", text)
  gsub(/_/, "\\_", text)
  gsub(/&/, "\\\\&", text)
  return text
}
# Declarations of instances that the library holds: the reader wants the template, once.
/^(extern )?template [^<]/ { skipping = 1 }
skipping { if (/;/) skipping = 0; print ""; next }
/^\/\/ SPDX/ { print ""; next }
/^ *\/\/ / {
  match($0, /^ *\/\/ ?/)
  print substr($0, 1, RLENGTH - 1 >= 0 ? index($0, "/") - 1 : 0) "/// " literal(substr($0, RLENGTH + 1))
  next
}
/^ *\/\/$/ { sub(/\/\//, "///"); print; next }
/^[^"]*[;,{}]  ?\/\/ / {
  at = index($0, "// ")
  print substr($0, 1, at - 1) "///< " literal(substr($0, at + 3))
  next
}
{ print }
