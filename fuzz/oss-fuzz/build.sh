#!/bin/bash -eu
# What OSS-Fuzz and ClusterFuzzLite run: all targets into $OUT, each with its seeds, dictionary and options.
#
# The contract: $SRC/twinlink is the source, $WORK is for what is made on the way, $CC, $CXX, $CFLAGS and $CXXFLAGS say how
# to compile, and $LIB_FUZZING_ENGINE is linked; sanitizer and coverage stand in the flags, so nothing is added to them
# here. ./run fuzz --contract runs it the same way on this machine.
source=$SRC/twinlink
build=$WORK/twinlink

cmake -G Ninja -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= -DTWINLINK_TESTS=OFF \
  -DTWINLINK_ENGINE="$LIB_FUZZING_ENGINE" -DTWINLINK_INSTRUMENT=OFF \
  -DCMAKE_C_LINK_EXECUTABLE="$CXX $CXXFLAGS <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>"
cmake --build "$build" --target fuzz fuzz_dictionary

for program in "$build"/fuzz/fuzz_*; do
  name=${program##*/}
  target=${name#fuzz_}
  [[ -e $source/fuzz/targets/$target.c ]] || continue # the dictionary's program
  cp "$program" "$OUT/$name"

  # Seeds and regressions in one archive, in a fixed order; a target with seeds of its own takes plain bytes.
  seeds=("$source"/fuzz/seeds/links/* "$source"/fuzz/regressions/*)
  kind=links longest=65536
  case $target in
  options) kind=options longest=512 ;;
  decoder | patch | files | foreign) kind=none longest=512 ;;
  esac
  if [[ -d $source/fuzz/seeds/$target ]]; then seeds=("$source/fuzz/seeds/$target"/*); fi
  rm -f "$OUT/${name}_seed_corpus.zip"
  (cd "$WORK" && rm -rf seeds && mkdir seeds && cp "${seeds[@]}" seeds &&
    cmake -E tar cf "$OUT/${name}_seed_corpus.zip" --format=zip seeds/*)

  {
    echo "[libfuzzer]"
    echo "max_len = $longest"
    echo "timeout = 30"
    echo "entropic = 0"
    echo "use_counters = 0"
    if [[ $kind != none ]]; then echo "dict = $name.dict"; fi
  } >"$OUT/$name.options"
  if [[ $kind != none ]]; then "$build/fuzz/fuzz_dictionary" "$kind" "${seeds[@]}" >"$OUT/$name.dict"; fi
done
