# Watchdog and supervisor mind each other: whoever is left starts the other again. Each holds a seat (a file with its pid and
# start time); whoever finds another in his seat leaves, so that there is never more than one of each.

# seated ROLE: does the process in this role's seat still run? Leaves `seat_pid` and `gait`.
seated() {
  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
}

# take_seat: leaves quietly if the seat is taken or the switch is off.
take_seat() {
  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
  identity "$$" || exit 1
  own_seat="$$ $born"
  replace "$ram/$role.pid" "$own_seat" || exit 1
  # Where it is allowed, the kernel shall look elsewhere first when memory runs out.
  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
  turn=0 still=0 turn_before=''
}

# on_duty: the seat is still ours, nobody switched off, and the pod is not known to be gone.
on_duty() {
  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
}

# beat [REVISION]: shows that we turn, and (the watchdog) by which deadline we act. Written in place: a full tmpfs allows that.
beat() {
  turn=$((turn + 1))
  { raw "$turn ${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
}

# mind ROLE: starts the other again when it is gone, or when it has not turned for `stuck_after` seconds of our own turning (so
# that a machine which slept as a whole convicts nobody).
mind() {
  if seated "$1"; then
    turn_seen=''
    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
    turn_before=$turn_seen
    [ "$still" -ge "$stuck_after" ] || return 0
    note "$1 does not turn any more: killed"
    kill -KILL "$seat_pid" 2>/dev/null
  else
    note "$1 is gone: started again"
  fi
  still=0
  start "$1"
}

# start ROLE: in a session of its own, all streams let go, so that neither the login that began it nor a hang-up ends it.
start() {
  if command -v setsid >/dev/null 2>&1; then
    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
  else
    (trap '' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
  fi
}

# A wait that a signal can end: `sleep` alone would hold the trap back.
rest_a_tick() {
  sleep "$tick" &
  wait "$!"
}
