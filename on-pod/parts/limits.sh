# What the switch was told (conf, deadline) and what follows from it: when it stops the pod, and the one extension.

# read_conf: what was set at install, into variables of the same names.
read_conf() {
  pod_id='' rest='' graphql='' heartbeat_file='' key_source='' ca=''
  pull_margin='' pet_min='' hb_grace='' tick='' backoff_first='' backoff_last='' stuck_after=''
  [ -r "$ram/conf" ] || return 1
  while read -r conf_line; do
    conf_value=${conf_line#*=}
    case ${conf_line%%=*} in
      pod_id) pod_id=$conf_value ;;
      rest) rest=$conf_value ;;
      graphql) graphql=$conf_value ;;
      heartbeat_file) heartbeat_file=$conf_value ;;
      key_source) key_source=$conf_value ;;
      ca) ca=$conf_value ;;
      pull_margin) span "$conf_value" && pull_margin=$number ;;
      pet_min) span "$conf_value" && pet_min=$number ;;
      hb_grace) span "$conf_value" && hb_grace=$number ;;
      tick) span "$conf_value" && tick=$number ;;
      backoff_first) span "$conf_value" && backoff_first=$number ;;
      backoff_last) span "$conf_value" && backoff_last=$number ;;
      stuck_after) span "$conf_value" && stuck_after=$number ;;
    esac
  done <"$ram/conf"
  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \
    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
    [ -n "$conf_value" ] || return 1
  done
  [ "$tick" -ge 1 ]
}

# write_deadline STOP_IN OWNER_IN ABSOLUTE_IN EXTENSIONS WINDOW: one line, replaced as a whole, in seconds of the clock that
# nobody sets. Its revision ties a grant to the deadline that it extended, and an acknowledgement to what was asked.
write_deadline() {
  clock || return 1
  revision=$now-$$
  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
}

# read_deadline: the line back into set_stop, set_owner, absolute, allowed, window, set_at and revision. A line that was cut,
# holds anything but whole numbers or lies further ahead than any deadline may is none. A shell takes a number with a leading
# zero for octal, and most end at the first 8 or 9 of one.
read_deadline() {
  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
  [ "$d_end" = . ] || return 1
  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
  done
  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
  revision=$d_revision
}

# read_limits: what is in force now. `owner` = as told + granted x pet-min; `stop` = as told, or owner + pull-margin once that
# is later; neither ever beyond `absolute`.
read_limits() {
  read_deadline || return 1
  granted=0
  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
  fi
  owner=$((set_owner + granted * pet_min)) stop=$set_stop
  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
}

# extend_if_alive: the owner deadline has lapsed, an extension is left that would move it, and the job lives: grant it. The
# result is exact (owner as told + k x pet-min), so that it does not matter who else grants the same one.
extend_if_alive() {
  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
    read_limits || return 0
    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
  done
}

# note TEXT: one line for later visits, with the pod's clocks. The record is bounded: the newest lines are kept.
note() {
  wall_clock
  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null
  noted=$((${noted:-0} + 1))
  [ $((noted % 50)) -eq 0 ] || return 0
  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
}
