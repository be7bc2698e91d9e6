# What state the switch is in, as `key=value` lines. It never says armed when a part is missing, and it looks for processes by
# who they are, so that it cannot mistake itself for one.

# say KEY VALUE: one line; `said_before` goes in front of the key.
said_before=''
say() { raw "$said_before$1=$2"; }

# lack REASON: the switch is not armed; the first reason is the one told.
lack() { [ -n "$reason" ] || reason=$1; }

# role_state ROLE: alive, stopped (SIGSTOP: it is there and does nothing) or dead, in `state`.
role_state() {
  state=dead
  if seated "$1"; then
    case $gait in T | t) state=stopped ;; *) state=alive ;; esac
  fi
  [ "$state" = alive ] || lack "$1-$state"
}

# held NAME: the value of NAME in the mark, in `value`.
held() {
  value=''
  while read -r mark_line; do
    case $mark_line in "$1="*) value=${mark_line#*=} ;; esac
  done <"$ram/mark"
}

say_mark() {
  held podId && say pod_id "$value"
  held registryId && say registry_id "$value"
  held ownerUuid && say owner_uuid "$value"
}

say_clocks() {
  if wall_clock; then say pod_now "$wall"; fi
  if clock; then say uptime "$now"; fi
}

# say_fired: whether it fired, why, how often it tried and what came back last.
say_fired() {
  if { read -r fired_at fired_why fired_rest <"$ram/fired"; } 2>/dev/null; then
    say fired yes
    say fire_reason "$fired_why"
  else
    say fired no
  fi
  if { read -r fire_tries fire_last <"$ram/tries"; } 2>/dev/null; then
    say fire_tries "$fire_tries"
    say fire_last "$fire_last"
  else
    say fire_tries 0
  fi
}

# say_limits: the deadlines as seconds from now; negative = past.
say_limits() {
  read_limits || { lack deadline-unreadable && return 0; }
  clock || { lack clock-unreadable && return 0; }
  [ "$now" -ge "$set_at" ] || lack clock-went-back
  say stop_in $((stop - now))
  say owner_in $((owner - now))
  say absolute_in $((absolute - now))
  say extensions_left $((allowed - granted))
  say extensions_granted "$granted"
  say pet_window "$window"
  say last_pet_ago $((now - set_at))
  if { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null && [ "$beat_revision" = "$revision" ]; then
    say acted yes
  else
    say acted no
  fi
}

# say_status: everything; the verdict comes last because every part may have something to say to it.
say_status() {
  reason=''
  say_clocks
  if ! find_ram; then
    find_tool
    say http_tool "$tool"
    say armed no
    say reason not-installed
    return 0
  fi
  say place "${ram#"$root"}"
  say_mark
  if read_conf; then
    say key_source "$key_source"
    say ca "${ca:-default}"
    say_limits
  else
    lack conf-unreadable
  fi
  role_state watchdog
  say watchdog "$state"
  role_state supervisor
  say supervisor "$state"
  say_fired
  find_tool
  say http_tool "$tool"
  [ "$tool" != none ] || lack no-http-tool
  if [ -s "$ram/credential" ]; then
    say credential present
  else
    say credential absent
    [ "$tool" = runpodctl ] || lack no-credential
  fi
  if [ -e "$ram/gone" ]; then reason=gone-proven; fi
  if [ -z "$reason" ]; then say armed yes; else say armed no && say reason "$reason"; fi
}
