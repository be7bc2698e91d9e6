# One visit's look at the pod: clocks, heartbeat, load, sessions, artifacts, switch, GPU. Each part says what it saw or why not,
# all of it bounded. The GPU comes last: a lost device can hold nvidia-smi for ever, and nothing shall wait behind it.

. ./parts/ground.sh
. ./parts/memory.sh
. ./parts/heartbeat.sh
. ./parts/limits.sh
. ./parts/pair.sh
. ./parts/api.sh
. ./parts/status.sh
. ./parts/bounded.sh

samples=1 spacing=1 artifact=''
gpu_query=index,uuid,utilization.gpu,memory.used,memory.total

# say_heartbeat: what the file says and when it was written; the judging is done by the one who looks.
say_heartbeat() {
  beat_file=${HOME:-$root/root}/.podtrack_job_alive
  if [ ! -e "$beat_file" ]; then
    say hb absent
  elif [ ! -f "$beat_file" ]; then
    say hb unseen:not-a-file
  else
    first_words "$beat_file"
    say hb present
    say hb_content "$words"
    if modified "$beat_file"; then say hb_mtime "$mtime"; fi
  fi
}

say_load() {
  for load_file in "$root/proc/loadavg" /proc/loadavg; do
    { read -r load1 load_rest <"$load_file"; } 2>/dev/null || continue
    case $load1 in '' | *[!0-9.]*) continue ;; esac
    say load1 "$load1"
    return 0
  done
  say load1 unseen:no-loadavg
}

# say_sessions: logins by SSH besides our own: processes of sshd that carry a user's name, without our ancestors.
say_sessions() {
  sessions=0 processes=0 ancestors=' '
  ancestor=$$
  while whole "$ancestor" && [ "$number" -gt 1 ] && identity "$ancestor"; do
    ancestors="$ancestors$ancestor "
    # shellcheck disable=SC2086 # splitting is what is wanted
    set -- ${stat_line##*) }
    ancestor=$2
  done
  for process in "$root"/proc/[0-9]*; do
    { read -r process_name <"$process/comm"; } 2>/dev/null || continue
    processes=$((processes + 1))
    case $process_name in sshd*) ;; *) continue ;; esac
    case $ancestors in *" ${process##*/} "*) continue ;; esac
    case $(tr '\000' ' ' <"$process/cmdline" 2>/dev/null) in 'sshd'*': '*@*) sessions=$((sessions + 1)) ;; esac
  done
  if [ "$processes" -gt 0 ]; then say ssh_sessions "$sessions"; else say ssh_sessions unseen:no-process-list; fi
}

say_artifacts() {
  [ -n "$artifact" ] || return 0
  # shellcheck disable=SC2088 # the tilde is the caller's, not ours
  case $artifact in '~/'*) artifact=${HOME:-$root/root}/${artifact#??} ;; *) artifact=$root$artifact ;; esac
  if [ ! -e "$artifact" ]; then
    say artifacts absent
  elif [ ! -r "$artifact" ]; then
    say artifacts unseen:unreadable
  elif [ -d "$artifact" ] && [ -z "$(ls -A "$artifact" 2>/dev/null | head -n 1)" ]; then
    say artifacts empty
  else
    say artifacts present
  fi
}

# gpu_sample: one run of nvidia-smi, at most about 10 s of it; its exit code closes the sample.
gpu_sample() {
  if ! bounded nvidia-smi "--query-gpu=$gpu_query" --format=csv,noheader,nounits; then
    say gpu_exit unseen:timed-out
    return 1
  fi
  # A GPU whose row was cut away would not be missed: rather no sample than half a one.
  smi_text=$(head -c 4097 "$scratch/out" | tr '\000' ' ')
  if [ "${#smi_text}" -gt 4096 ]; then
    say gpu_exit unseen:too-long
    return 1
  fi
  printable "$scratch/out" 4096 gpu
  printable "$scratch/err" 1024 gpuerr
  # A last line without an end would swallow the next.
  raw ''
  say gpu_exit "$bounded_exit"
}

say_gpu() {
  if ! command -v nvidia-smi >/dev/null 2>&1; then
    say gpu_exit 127
    return 0
  fi
  [ -n "$scratch" ] || { say gpu_exit unseen:no-room && return 0; }
  taken=0
  while [ "$taken" -lt "$samples" ]; do
    [ "$taken" -eq 0 ] || sleep "$spacing"
    gpu_sample || break
    taken=$((taken + 1))
  done
}

# begin_key: asks beside all else whether the key that the switch holds still counts; `say_key` tells.
begin_key() {
  key_pid=''
  [ -n "$scratch" ] && find_ram && read_conf && [ ! -e "$ram/fired" ] || return 0
  { read -r key <"$ram/credential"; } 2>/dev/null && usable_key "$key" || return 0
  find_tool
  clock
  key_until=$((now + 10))
  ask_key </dev/null >"$scratch/key" 2>/dev/null &
  key_pid=$!
}

# ask_key: of the planted key, then of the one that the fire path falls back on.
ask_key() {
  key_told=$(try_key)
  tried_key=$key
  if [ "$key_told" = refused ] && injected_key && [ "$key" != "$tried_key" ]; then key_told=$(try_key); fi
  raw "$key_told"
}

# try_key: reading this pod shows that `key` counts. Where it may not read, it is asked as at arm time, without harm (ids have no
# dashes); only a key that every door turns away is refused.
try_key() {
  http GET "$rest/v2/pods/$pod_id" "$key"
  [ "$word" != ok ] || { raw works && return 0; }
  http DELETE "$rest/v2/pods/podtrack-no-such-pod" "$key"
  by_rest=$word
  [ "$by_rest" != absent ] || { raw works && return 0; }
  graphql "$key" "$(end_request podtrack-no-such-pod)"
  case $by_rest,$word in
    *,not-found) raw works ;;
    40[13],40[13] | 40[13],unauthorized) raw refused ;;
    *) raw "unseen:rest=$by_rest,graphql=$word" ;;
  esac
}

say_key() {
  if [ -z "$key_pid" ]; then
    say sw_key unseen:not-asked
    return 0
  fi
  while identity "$key_pid" && [ "$gait" != Z ]; do
    if clock && [ "$now" -ge "$key_until" ]; then
      kill -KILL "$key_pid" 2>/dev/null
      say sw_key unseen:timed-out
      return 0
    fi
    pause
  done
  key_told=''
  { read -r key_told <"$scratch/key"; } 2>/dev/null
  say sw_key "${key_told:-unseen:no-answer}"
}

settle_in
for word_given in "$@"; do
  case $word_given in
    samples=[1-9]) samples=${word_given#*=} ;;
    spacing=[1-9]) spacing=${word_given#*=} ;;
    artifact=?*) artifact=${word_given#*=} ;;
    *) say refused "unknown-word" && exit 3 ;;
  esac
done
open_scratch || scratch=''
begin_key
say_clocks
say_heartbeat
say_load
say_sessions
say_artifacts
said_before=sw_
say_status
said_before=''
say_gpu
say_key
[ -z "$scratch" ] || rm -rf "$scratch"
