# What a visitor may do with an installed switch: every verb of switch.sh but the status.

# refuse REASON: nothing was changed; the status follows, so that the visitor sees what is in force.
refuse() {
  say refused "$1"
  say_status
  exit 3
}

# words WORD...: `name=value` arguments into w_name; an unknown name is refused.
words() {
  for word_given in "$@"; do
    word_value=${word_given#*=}
    case $word_given in
      stop_in=*) w_stop_in=$word_value ;;
      owner_in=*) w_owner_in=$word_value ;;
      absolute_in=*) w_absolute_in=$word_value ;;
      extensions_left=*) w_extensions_left=$word_value ;;
      pet_window=*) w_pet_window=$word_value ;;
      pod_id=*) w_pod_id=$word_value ;;
      registry_id=*) w_registry_id=$word_value ;;
      owner_uuid=*) w_owner_uuid=$word_value ;;
      rest=*) w_rest=${word_value%/} ;;
      graphql=*) w_graphql=$word_value ;;
      ca=*) w_ca=$word_value ;;
      key_source=*) w_key_source=$word_value ;;
      pull_margin=*) w_pull_margin=$word_value ;;
      pet_min=*) w_pet_min=$word_value ;;
      hb_grace=*) w_hb_grace=$word_value ;;
      tick=*) w_tick=$word_value ;;
      backoff_first=*) w_backoff_first=$word_value ;;
      backoff_last=*) w_backoff_last=$word_value ;;
      stuck_after=*) w_stuck_after=$word_value ;;
      *) refuse "unknown-word" ;;
    esac
  done
}

# check_deadlines: none may collapse to now or to never. The owner deadline may have passed (0): a keep or a last pull outlives
# it. The stop may not, and neither may lie beyond the absolute deadline.
check_deadlines() {
  span "${w_absolute_in:-}" && [ "$number" -ge 1 ] || refuse bad-absolute_in
  w_absolute_in=$number
  span "${w_stop_in:-}" && [ "$number" -ge 1 ] && [ "$number" -le "$w_absolute_in" ] || refuse bad-stop_in
  w_stop_in=$number
  span "${w_owner_in:-}" && [ "$number" -le "$w_absolute_in" ] || refuse bad-owner_in
  w_owner_in=$number
  whole "${w_extensions_left:-}" && [ "$number" -le 1000 ] || refuse bad-extensions_left
  w_extensions_left=$number
  span "${w_pet_window:-}" || refuse bad-pet_window
  w_pet_window=$number
}

# plain TEXT: may stand in a line of a file, a URL or a request without meaning anything else there.
plain() {
  case $1 in '' | *[!A-Za-z0-9._:/@#%+-]*) return 1 ;; esac
  [ "${#1}" -le 2000 ]
}

# await_act: until the watchdog itself has turned with the deadline of `revision`: only then it was acted on.
await_act() {
  clock || return 1
  await_until=$((now + 3 * tick + 6)) await_turns=300
  while clock && [ "$now" -le "$await_until" ] && [ "$await_turns" -gt 0 ]; do
    await_turns=$((await_turns - 1))
    [ ! -e "$ram/fired" ] || return 1
    beat_revision=''
    { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null
    if [ "$beat_revision" = "$revision" ] && seated watchdog && seated supervisor; then return 0; fi
    pause
  done
  return 1
}

# pet: new deadlines. A switch that fired cannot be talked out of it; a pet that the watchdog did not act on is a failure.
pet() {
  find_ram || refuse not-installed
  read_conf || refuse conf-unreadable
  [ ! -e "$ram/fired" ] || refuse fired
  seated watchdog || seated supervisor || refuse dead
  if [ -z "${w_pet_window:-}" ] && read_deadline; then w_pet_window=$window; fi
  check_deadlines
  write_deadline "$w_stop_in" "$w_owner_in" "$w_absolute_in" "$w_extensions_left" "$w_pet_window" || refuse no-room
  seated watchdog && kill -USR1 "$seat_pid" 2>/dev/null
  pet_exit=0
  await_act || pet_exit=1
  if [ -e "$ram/fired" ]; then refuse fired; fi
  [ "$pet_exit" -eq 0 ] || say refused not-acted-on
  say_status
  return "$pet_exit"
}

# stand_down: ends both of the switch in `ram`, by who they are, and waits until they are gone.
stand_down() {
  remember off || return 1
  clock
  down_until=$((now + 10))
  for role in supervisor watchdog; do
    while seated "$role"; do
      kill -KILL "$seat_pid" 2>/dev/null
      clock && [ "$now" -le "$down_until" ] || return 1
      pause
    done
  done
}

# disarm: takes the switch away, key first.
disarm() {
  while find_ram; do
    shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
    stand_down || refuse still-running
    rm -rf "$ram"
  done
  say_status
}

# take_key: the key to use, in `key`: given on stdin, injected by the provider, or the planted one.
take_key() {
  key=''
  case ${w_key_source:-} in
    given | explicit | deadman | full)
      IFS= read -r key || [ -n "$key" ] || return 1
      key=${key%"$(raw x | tr x '\r')"}
      ;;
    injected) injected_key || return 1 ;;
    planted) find_ram && { read -r key <"$ram/credential"; } 2>/dev/null || return 1 ;;
    *) return 1 ;;
  esac
  usable_key "$key"
}

# check: what a key can do, by calls that cannot harm: reading this pod, and ending one that cannot exist (ids have no dashes).
check() {
  plain "${w_pod_id:-}" && plain "${w_rest:-}" && plain "${w_graphql:-}" || refuse bad-address
  rest=$w_rest graphql=$w_graphql
  if ! find_ram; then
    not_here=''
    for place in $memory_places; do
      if open_ram "$place"; then break; fi
      not_here="$not_here,$place:$why_not"
    done
    [ -n "$ram" ] || refuse "no-ram$not_here"
  fi
  find_tool
  say http_tool "$tool"
  if ! take_key; then
    say key absent
    rmdir "$ram" 2>/dev/null
    return 1
  fi
  say key usable
  http GET "$rest/v2/pods/$w_pod_id" "$key"
  say read_rest "$word"
  http DELETE "$rest/v2/pods/podtrack-no-such-pod" "$key"
  say end_rest "$word"
  graphql "$key" "$(read_request "$w_pod_id")"
  case $flat in '{"data":{"pod":null}}') word=absent ;; esac
  say read_graphql "$word"
  graphql "$key" "$(end_request podtrack-no-such-pod)"
  say end_graphql "$word"
  # Told after the last request: any of them may have found it.
  say ca "${ca:-default}"
  # Only if nothing of a switch is in it.
  rmdir "$ram" 2>/dev/null
  return 0
}

# beat_for_job: one sign of life of a job that runs elsewhere, written as the job itself would, whether or not a switch is planted.
beat_for_job() {
  beat_file=${HOME:-$root/root}/.podtrack_job_alive
  # Not through a link or into a folder that somebody left there.
  if [ -d "$beat_file" ] || [ -L "$beat_file" ]; then say refused beat-file-blocked && exit 3; fi
  if date -u +%Y-%m-%dT%H:%M:%SZ >"$beat_file.$$" && mv -f "$beat_file.$$" "$beat_file"; then
    say beat written
  else
    rm -f "$beat_file.$$"
    say refused beat-not-written
    exit 3
  fi 2>/dev/null
}
