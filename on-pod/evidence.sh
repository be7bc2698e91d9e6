# What a pod looked like shortly before its end, for people who ask why it was ended: its processes, the switch's own record,
# and nvidia-smi. All of it bounded; each line says which text it belongs to. The GPU comes last, as it may hang.

. ./parts/ground.sh
. ./parts/memory.sh
. ./parts/heartbeat.sh
. ./parts/limits.sh
. ./parts/pair.sh
. ./parts/api.sh
. ./parts/status.sh
. ./parts/bounded.sh

most_processes=400

# say_processes: from /proc alone, for images without ps. Arguments are cut short: they tell programs apart, no more is wanted.
say_processes() {
  listed=0
  for process in "$root"/proc/[0-9]*; do
    { read -r stat_line <"$process/stat"; } 2>/dev/null || continue
    if [ "$listed" -eq "$most_processes" ]; then
      raw "process| and more than $most_processes"
      break
    fi
    listed=$((listed + 1))
    # In quotes, because a star before a round bracket is a pattern of its own in mksh.
    process_name=${stat_line#*"("}
    process_name=${process_name%)*}
    arguments=$({ raw "$process_name:" && cat "$process/cmdline" 2>/dev/null; } | head -c 300 | tr '\000\n\t' '   ' | tr -cd '\40-\176')
    # shellcheck disable=SC2086 # splitting is what is wanted
    set -- ${stat_line##*) }
    [ "$#" -ge 22 ] || continue
    raw "process| pid=${process##*/} parent=$2 state=$1 started=${20} resident_pages=${22} $arguments"
  done
  [ "$listed" -gt 0 ] || say process unseen:no-process-list
}

say_switch() {
  said_before='switch| '
  say_status
  said_before=''
  find_ram || return 0
  { tail -n 200 "$ram/record" 2>/dev/null || cat "$ram/record" 2>/dev/null; } | head -c 32768 | tr -cd '\11\12\40-\176' | sed 's/^/record| /'
  # A last line without an end would swallow the next.
  raw ''
}

say_smi() {
  if ! command -v nvidia-smi >/dev/null 2>&1; then
    say smi unseen:not-on-the-pod
    return 0
  fi
  open_scratch || { say smi unseen:no-room && return 0; }
  if bounded nvidia-smi; then
    printable "$scratch/out" 32768 smi
    printable "$scratch/err" 4096 smi
    raw ''
    say smi "exit-$bounded_exit"
  else
    say smi unseen:timed-out
  fi
  rm -rf "$scratch"
}

settle_in
say_processes
say_switch
say_smi
