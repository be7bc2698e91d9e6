# The dead-man switch: ends its own pod at the stop it was told, however long that takes. Arguments: its folder in memory.

. ./parts/ground.sh
. ./parts/memory.sh
. ./parts/heartbeat.sh
. ./parts/limits.sh
. ./parts/pair.sh
. ./parts/api.sh
. ./parts/fire.sh

# advance: `now` never goes back: where the clock fails or is set back, we count our own ticks on from what we know.
advance() {
  if clock && [ "$now" -ge "$latest" ]; then latest=$now; else latest=$((latest + tick)); fi
  now=$latest
}

# sign_of_life: the newest of pet and heartbeat, as a second of our clock, in `life`. The heartbeat is looked at from half the
# window on: a jump of the wall clock then leaves the job the other half to beat again.
sign_of_life() {
  if [ "$life" -lt "$set_at" ]; then life=$set_at; fi
  [ "$now" -ge $((life + window / 2)) ] && heartbeat_age "$heartbeat_file" || return 0
  if [ $((now - age)) -gt "$life" ]; then life=$((now - age)); fi
}

# due: is it time? Leaves the reason in `why`.
due() {
  why=''
  if [ "$now" -ge "$stop" ]; then
    if [ "$stop" -ge "$absolute" ]; then why=absolute; else why=stop; fi
  elif [ "$window" -gt 0 ]; then
    sign_of_life
    if [ "$now" -ge $((life + window)) ]; then why=pet-window; fi
  fi
  [ -n "$why" ]
}

# fire: once begun, nothing but proof ends it. Tries are spaced by a doubling pause with a cap.
fire() {
  if [ -z "$fired_at" ]; then
    fired_at=$now
    replace "$ram/fired" "$now $why ."
    note "fired: $why"
  fi
  [ "$now" -ge "$next_try" ] || return 0
  tries=$((tries + 1)) slow_down=0
  if fire_try; then proven=yes; else proven=no; fi
  if [ "$slow_down" -gt 0 ]; then told="$told retry-after=$slow_down"; fi
  note "try $tries:$told"
  replace "$ram/tries" "$tries$told"
  if [ "$proven" = yes ]; then
    conclude
    return 0
  fi
  advance
  # What the provider asks for is granted up to our own longest pause, and not one second beyond: the pod bills meanwhile.
  wait_now=$pause_now
  if [ "$slow_down" -gt "$wait_now" ]; then wait_now=$slow_down; fi
  if [ "$wait_now" -gt "$backoff_last" ]; then wait_now=$backoff_last; fi
  next_try=$((now + wait_now)) pause_now=$((pause_now * 2))
  if [ "$pause_now" -gt "$backoff_last" ]; then pause_now=$backoff_last; fi
}

# resume: what an earlier watchdog had begun.
resume() {
  fired_at='' why='' accepted='' tries=0 next_try=0 life=0 pause_now=$backoff_first
  if { read -r fired_at why fired_rest <"$ram/fired"; } 2>/dev/null; then whole "$fired_at" || fired_at=0; fi
  if { read -r tries fired_rest <"$ram/tries"; } 2>/dev/null; then whole "$tries" && tries=$number || tries=0; fi
  if [ -e "$ram/accepted" ]; then accepted=yes; fi
}

settle_in
ram=$1 role=watchdog
read_conf && read_limits || exit 1
trap '' HUP
# A pet wakes us, so that it can be acknowledged at once.
trap : USR1
latest=$set_at
resume
take_seat
cd / || :
while on_duty; do
  advance
  # An unreadable deadline leaves the one we know in force.
  read_limits
  if [ -z "$fired_at" ]; then extend_if_alive; fi
  if [ -n "$fired_at" ] || due; then fire; fi
  beat "$revision"
  mind supervisor
  rest_a_tick
done
