# byte_literal(FILE RESULT): the file's bytes as C++ string literals, one below the other. Each byte is \xNN, in lines
# of 64: so no byte of a source can end the literal or be misread.
function(byte_literal file result)
    string(REPEAT "[0-9a-f]" 128 line)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
    string(REPLACE "\n" "\"\n    \"" bytes "${bytes}")
    set(${result} "\"${bytes}\"" PARENT_SCOPE)
endfunction()
