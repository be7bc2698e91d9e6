# Programs that may hang for ever, as nvidia-smi does on a lost device: run with an end in time and read from a file, so that
# neither the program nor a pipe that it leaves open can hold a visit.

# open_scratch: a folder of ours for what such a program says, in `scratch`.
open_scratch() {
  for place in /dev/shm /run /tmp; do
    scratch=$root$place/podtrack-look.$$
    mkdir "$scratch" 2>/dev/null && return 0
  done
  return 1
}

# bounded COMMAND...: runs it for about 10 s at most, its words in `scratch`/out and /err; fails when it had to be killed.
# Its exit code is left in `bounded_exit`.
bounded() {
  "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
  bounded_pid=$!
  clock
  bounded_until=$((now + 10))
  while identity "$bounded_pid" && [ "$gait" != Z ]; do
    if clock && [ "$now" -ge "$bounded_until" ]; then
      kill -KILL "$bounded_pid" 2>/dev/null
      return 1
    fi
    pause
  done
  wait "$bounded_pid"
  bounded_exit=$?
}

# printable FILE MOST PREFIX: the first MOST bytes, what is printable of them, each line behind PREFIX.
printable() {
  head -c "$2" "$1" 2>/dev/null | tr -cd '\11\12\40-\176' | sed "s/^/$3| /"
}
