# Plants the switch: every file is written and read back before anything that protects the pod now is touched; then the old
# pair is ended, the new one started, and the status printed as the new pair itself shows it. The key comes on stdin.

. ./parts/ground.sh
. ./parts/memory.sh
. ./parts/heartbeat.sh
. ./parts/limits.sh
. ./parts/pair.sh
. ./parts/api.sh
. ./parts/status.sh
. ./parts/visit.sh

watchdog_text=$(cat ./watchdog.sh)
supervisor_text=$(cat ./supervisor.sh)
job_text=$(cat ./job.sh)

# check_rest: what a switch needs besides its deadlines. Seconds all.
check_rest() {
  plain "${w_pod_id:-}" || refuse bad-pod_id
  case $w_pod_id in *[!A-Za-z0-9_-]*) refuse bad-pod_id ;; esac
  plain "${w_registry_id:-}" || refuse bad-registry_id
  plain "${w_owner_uuid:-}" || refuse bad-owner_uuid
  plain "${w_rest:-}" || refuse bad-rest
  plain "${w_graphql:-}" || refuse bad-graphql
  case $w_rest$w_graphql in *@* | *'#'*) refuse bad-address ;; esac
  case $w_rest in http://* | https://*) ;; *) refuse bad-rest ;; esac
  case $w_graphql in http://* | https://*) ;; *) refuse bad-graphql ;; esac
  # The authorities that the check found to trust the provider; none given = the tool's own.
  case ${w_ca:-default} in
    default) w_ca='' ;;
    /*) plain "$w_ca" && [ -s "$w_ca" ] || refuse bad-ca ;;
    *) refuse bad-ca ;;
  esac
  span "${w_pull_margin:-}" || refuse bad-pull_margin
  w_pull_margin=$number
  span "${w_pet_min:-}" && [ "$number" -ge 1 ] || refuse bad-pet_min
  w_pet_min=$number
  span "${w_hb_grace:-}" && [ "$number" -ge 1 ] || refuse bad-hb_grace
  w_hb_grace=$number
  knob tick 3 60
  w_tick=$number
  knob backoff_first 5 120
  w_backoff_first=$number
  knob backoff_last 120 600
  w_backoff_last=$number
  knob stuck_after 90 3600
  w_stuck_after=$number
}

# knob NAME DEFAULT MOST: an optional number of seconds, in `number`.
knob() {
  case $1 in
    tick) knob_value=${w_tick:-} ;;
    backoff_first) knob_value=${w_backoff_first:-} ;;
    backoff_last) knob_value=${w_backoff_last:-} ;;
    stuck_after) knob_value=${w_stuck_after:-} ;;
  esac
  span "${knob_value:-$2}" && [ "$number" -ge 1 ] && [ "$number" -le "$3" ] || refuse "bad-$1"
}

# As many spares as files may have to be made after the install: fired, tries, grant, accepted.
staged='watchdog supervisor conf mark credential wgetrc reserve spare.1 spare.2 spare.3 spare.4'

# stage: every file beside its place, read back. On failure nothing of it stays, the key first of all.
stage() {
  if write "$ram/watchdog.new" "$watchdog_text" &&
    write "$ram/supervisor.new" "$supervisor_text" &&
    write "$ram/conf.new" "$conf_text" &&
    write "$ram/mark.new" "$mark_text" &&
    write "$ram/reserve.new" "$watchdog_text" &&
    write "$ram/spare.1.new" '' && write "$ram/spare.2.new" '' && write "$ram/spare.3.new" '' && write "$ram/spare.4.new" '' &&
    write "$ram/credential.new" "$key" &&
    write "$ram/wgetrc.new" "header = Authorization: Bearer $key"; then
    return 0
  fi
  shred_files "$ram/credential.new" "$ram/wgetrc.new"
  for name in $staged; do rm -f "$ram/$name.new"; done
  # The folder itself goes only when nothing of an earlier switch is in it.
  rmdir "$ram" 2>/dev/null
  why_not=no-room
  return 1
}

# stage_somewhere: in the first place in memory that takes it; `not_here` says why the others did not.
stage_somewhere() {
  not_here=''
  for place in $memory_places; do
    if open_ram "$place" && stage; then return 0; fi
    not_here="$not_here,$place:$why_not"
  done
  ram=''
  return 1
}

# plant_job: podtrack-job on the PATH if we may, else in the user's own bin. It is no secret, and no reason to fail.
plant_job() {
  for job_place in "$root/usr/local/bin" "${HOME:-/nowhere}/.local/bin"; do
    mkdir -p "$job_place" 2>/dev/null
    if replace "$job_place/podtrack-job" "$job_text" && chmod 755 "$job_place/podtrack-job" 2>/dev/null; then
      job_tool=$job_place/podtrack-job
      return 0
    fi
  done
  job_tool=absent
}

# replace_old: ends every earlier pair, wherever it lives, and puts the staged files in place. What follows cannot want for
# room: the files are written, and moving them takes none.
replace_old() {
  new_ram=$ram
  while find_ram && [ "$ram" != "$new_ram" ]; do
    shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
    stand_down || return 1
    rm -rf "$ram"
  done
  ram=$new_ram
  stand_down || return 1
  rm -f "$ram/fired" "$ram/tries" "$ram/grant" "$ram/accepted" "$ram/gone" "$ram/watchdog.beat" "$ram/supervisor.beat"
  for name in $staged; do mv -f "$ram/$name.new" "$ram/$name" || return 1; done
  rm -f "$ram/off"
}

settle_in
words "$@"
tick=${w_tick:-3}
check_deadlines
check_rest
find_tool
[ "$tool" != none ] || refuse no-http-tool
clock || refuse clock-unreadable
take_key || [ "$tool" = runpodctl ] || refuse no-key
if [ "$w_key_source" = planted ] && read_conf; then w_key_source=$key_source; fi
conf_text="pod_id=$w_pod_id
rest=$w_rest
graphql=$w_graphql
heartbeat_file=${HOME:-$root/root}/.podtrack_job_alive
key_source=$w_key_source
ca=$w_ca
pull_margin=$w_pull_margin
pet_min=$w_pet_min
hb_grace=$w_hb_grace
tick=$w_tick
backoff_first=$w_backoff_first
backoff_last=$w_backoff_last
stuck_after=$w_stuck_after"
mark_text="podId=$w_pod_id
registryId=$w_registry_id
ownerUuid=$w_owner_uuid"
stage_somewhere || refuse "no-ram${not_here}"
replace_old || refuse still-running
read_conf || refuse conf-unreadable
write_deadline "$w_stop_in" "$w_owner_in" "$w_absolute_in" "$w_extensions_left" "$w_pet_window" || refuse no-room
note "installed: stops in $w_stop_in s, tool $tool, authorities ${w_ca:-default}, key $w_key_source"
plant_job
start supervisor
await_act
acted=$?
say job_tool "$job_tool"
say_status
exit "$acted"
