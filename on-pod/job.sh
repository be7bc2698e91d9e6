#!/bin/sh
# podtrack-job -- CMD [ARG...]: runs CMD and shows that it lives, once a minute, for exactly as long as CMD runs.
# CMD takes this very process (exec), so that signals, terminal and exit code are its own; the heart is a child that watches it.

. ./parts/ground.sh

[ "${1:-}" != -- ] || shift
if [ "$#" -eq 0 ]; then
  raw 'usage: podtrack-job -- COMMAND [ARGUMENT...]' >&2
  exit 2
fi

file=${HOME:-$root/root}/.podtrack_job_alive
every=${PODTRACK_JOB_BEAT:-60}
whole "$every" && [ "$number" -ge 1 ] && [ "$number" -le 600 ] || number=60
every=$number
step=$((every < 5 ? every : 5))

# heart PID BORN: a job that was stopped (SIGSTOP) is not at work; one that ended takes its heart with it within `step` seconds.
heart() {
  due=0
  while living "$1" "$2"; do
    case $gait in T | t) ;; *)
      if [ "$due" -le 0 ]; then
        { date -u +%Y-%m-%dT%H:%M:%SZ >"$file.$1" && mv -f "$file.$1" "$file"; } 2>/dev/null || rm -f "$file.$1"
        due=$every
      fi
      ;;
    esac
    sleep "$step"
    due=$((due - step))
  done
}

if identity "$$"; then
  (settle_in && trap '' HUP INT QUIT && cd / && heart "$$" "$born") </dev/null >/dev/null 2>&1 &
else
  raw 'podtrack-job: no /proc, so no heartbeat' >&2
fi
exec "$@"
